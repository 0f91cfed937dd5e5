// A picture from the camera. It is asked for when the button is pressed, and switched off after one picture.
import { useEffect, useRef, useState } from 'preact/hooks';
import { fail } from '../state.js';

export function CameraButton({ onPicture }: { readonly onPicture: (picture: ImageBitmap) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [stream, setStream] = useState<MediaStream>();
  useEffect(() => {
    if (video.current && stream) video.current.srcObject = stream;
    return () => {
      stream?.getTracks().forEach((track) => {
        track.stop();
      });
    };
  }, [stream]);
  const open = async () => {
    try {
      setStream(await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } }));
    } catch {
      fail(new Error('The camera cannot be used: the browser or the system refused it. Choose a picture instead.'));
    }
  };
  const take = async () => {
    if (video.current) onPicture(await createImageBitmap(video.current));
    setStream(undefined);
  };
  // Browsers have no camera for pages that do not come over HTTPS or from this machine.
  if (!('mediaDevices' in navigator)) return null;
  if (!stream) {
    return (
      <button type="button" class="quiet" onClick={() => void open()}>
        Use the camera
      </button>
    );
  }
  return (
    <div class="camera">
      <video ref={video} autoplay muted playsInline />
      <button type="button" class="quiet" onClick={() => void take()}>
        Take the picture
      </button>
    </div>
  );
}
