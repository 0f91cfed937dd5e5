// Sound from the microphone. It is asked for when the button is pressed, and switched off when the recording ends.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../../../../../edge/js/shared/interface.js';
import { announcement, fail } from '../../state.js';
import type { SoundFile } from './sound.js';

const MOST_SECONDS = 60;
const TICK = 100;

export function MicrophoneButton({ onSound }: { readonly onSound: (sound: SoundFile) => void }) {
  const [recorder, setRecorder] = useState<MediaRecorder>();
  const [seconds, setSeconds] = useState(0);
  const asking = useRef(false);
  useEffect(() => {
    if (!recorder) return undefined;
    const start = performance.now();
    const timer = setInterval(() => {
      const passed = (performance.now() - start) / 1000;
      setSeconds(passed);
      if (passed > MOST_SECONDS && recorder.state === 'recording') recorder.stop();
    }, TICK);
    return () => {
      clearInterval(timer);
      close(recorder);
    };
  }, [recorder]);
  const begin = async () => {
    if (asking.current) return;
    asking.current = true;
    try {
      const made = new MediaRecorder(await navigator.mediaDevices.getUserMedia({ audio: true }));
      const parts: Blob[] = [];
      made.addEventListener('dataavailable', ({ data }) => parts.push(data));
      made.addEventListener('stop', () => {
        setRecorder(undefined);
        onSound({ name: 'the recording', file: new Blob(parts, { type: made.mimeType }) });
      });
      setSeconds(0);
      made.start();
      setRecorder(made);
      announcement.value = 'Recording';
    } catch (error) {
      fail(refused(error));
    } finally {
      asking.current = false;
    }
  };
  // Browsers have no microphone for pages that do not come over HTTPS or from this machine.
  if (!('mediaDevices' in navigator) || typeof MediaRecorder !== 'function') return null;
  return (
    <div class="row">
      <button
        type="button"
        class="quiet"
        onClick={() => {
          if (recorder) recorder.stop();
          else void begin();
        }}
      >
        {recorder ? 'Stop recording' : 'Record'}
      </button>
      {recorder && <span class="hint">{seconds.toFixed(1)} s</span>}
    </div>
  );
}

function close(recorder: MediaRecorder): void {
  for (const track of recorder.stream.getTracks()) track.stop();
}

function refused(error: unknown): Problem {
  const missing = error instanceof DOMException && error.name === 'NotFoundError';
  return new Problem(
    missing
      ? 'There is no microphone that the browser can use. Connect one, or choose a sound file instead.'
      : 'The microphone cannot be used: the browser or the system refused it. Allow it in the address bar, or choose a sound file instead.',
  );
}
