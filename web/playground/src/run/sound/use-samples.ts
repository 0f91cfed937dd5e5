import { useEffect, useState } from 'preact/hooks';
import { fail } from '../../state.js';
import type { SoundFile } from './sound.js';
import { samplesOf } from './sound.js';

/** Undefined until the sound is decoded. What cannot be is told on the page. */
export function useSamples(sound: SoundFile | undefined, rate: number): Float32Array | undefined {
  const [found, setFound] = useState<{ sound: SoundFile; rate: number; samples: Float32Array }>();
  useEffect(() => {
    let wanted = true;
    if (sound) {
      samplesOf(sound, rate).then(
        (samples) => {
          if (wanted) setFound({ sound, rate, samples });
        },
        (error: unknown) => {
          if (wanted) fail(error, sound.name);
        },
      );
    }
    return () => {
      wanted = false;
    };
  }, [sound, rate]);
  return found && found.sound === sound && found.rate === rate ? found.samples : undefined;
}
