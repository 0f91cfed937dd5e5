// Sound from files and the microphone, as one channel at the rate that a model wants.
import { Problem } from '../../../../../edge/js/shared/interface.js';

export interface SoundFile {
  readonly name: string;
  readonly file: Blob;
}

const decoded = new WeakMap<Blob, Map<number, Promise<Float32Array>>>();

/** Samples from -1 to 1: the mean of all channels. Throws Problem. */
export function samplesOf({ name, file }: SoundFile, rate: number): Promise<Float32Array> {
  const known = decoded.get(file) ?? new Map<number, Promise<Float32Array>>();
  decoded.set(file, known);
  const samples = known.get(rate) ?? decode(name, file, rate);
  known.set(rate, samples);
  return samples;
}

async function decode(name: string, file: Blob, rate: number): Promise<Float32Array> {
  const context = contextOf(rate);
  let buffer: AudioBuffer;
  try {
    // The browser brings it to the context's rate.
    buffer = await context.decodeAudioData(await file.arrayBuffer());
  } catch (cause) {
    throw new Problem(`The browser cannot read ${name} as sound: WAV, MP3 and FLAC work everywhere.`, { cause });
  }
  const channels = Array.from({ length: buffer.numberOfChannels }, (_, at) => buffer.getChannelData(at));
  const [first] = channels;
  if (!first || first.length === 0) throw new Problem(`There is no sound in ${name}.`);
  if (channels.length === 1) return first;
  return first.map((_, at) => channels.reduce((sum, channel) => sum + (channel[at] ?? 0), 0) / channels.length);
}

function contextOf(rate: number): OfflineAudioContext {
  try {
    return new OfflineAudioContext(1, 1, rate);
  } catch (cause) {
    throw new Problem(`A rate of ${rate} Hz is none that the browser can make: most models take 16000.`, { cause });
  }
}
