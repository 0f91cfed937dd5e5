// An output as a picture: colours, or a map from cold to hot, over the input's picture where there is one.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Tensor } from 'onnxlet';
import { numbersOf, short, summaryOf } from '../ui/statistics.js';
import type { PicturePart } from './outputs.js';
import { picturePart } from './outputs.js';
import { placed } from './picture.js';
import { choices } from './run-state.js';

export function OutputPicture({ tensor }: { readonly tensor: Tensor }) {
  const part = picturePart(tensor);
  const [channel, setChannel] = useState(0);
  const [strength, setStrength] = useState(0.65);
  const canvas = useRef<HTMLCanvasElement>(null);
  const input = Object.values(choices.value).find(
    ({ source, picture }) => picture && (source === 'picture' || source === 'drawing'),
  );
  const numbers = useMemo(() => numbersOf(tensor), [tensor]);
  const asColours = part?.channels === 3;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !part) return;
    const { width, height } = part;
    const drawn = new ImageData(width, height);
    if (asColours) paintColours(drawn, numbers, part);
    else paintMap(drawn, numbers, part, channel, input ? strength : 1);
    void createImageBitmap(drawn).then((layer) => {
      context.clearRect(0, 0, width, height);
      if (input?.picture && !asColours) {
        const { left, top, right, bottom } = placed(input.picture, width, height, input.pictureOptions.fit);
        context.drawImage(input.picture, left, top, right - left, bottom - top);
      }
      context.drawImage(layer, 0, 0);
    });
  }, [numbers, channel, strength, input?.picture]);
  if (!part) return null;
  const [least, most] = range(numbers);
  return (
    <>
      <canvas
        ref={canvas}
        class={`output-picture ${part.width < 64 ? 'coarse' : ''}`}
        width={part.width}
        height={part.height}
        role="img"
        aria-label={`The output as a picture of ${part.width} × ${part.height}, from ${short(least)} to ${short(most)}`}
      />
      <div class="row">
        {part.channels > 1 && !asColours && (
          <label class="inline">
            Channel
            <input
              type="number"
              min={0}
              max={part.channels - 1}
              value={channel}
              onChange={({ currentTarget }) => {
                setChannel(Math.min(part.channels - 1, Math.max(0, Number(currentTarget.value))));
              }}
            />
          </label>
        )}
        {input && !asColours && (
          <label class="inline">
            Over the input
            <input
              type="range"
              min={0}
              max={1}
              step={0.05}
              value={strength}
              onInput={({ currentTarget }) => {
                setStrength(Number(currentTarget.value));
              }}
            />
          </label>
        )}
        <span class="hint">
          {short(least)} to {short(most)}
        </span>
      </div>
    </>
  );
}

function indexOf({ width, height, channels, last }: PicturePart, channel: number, at: number): number {
  return last ? at * channels + channel : channel * width * height + at;
}

function paintColours(image: ImageData, numbers: ArrayLike<number>, part: PicturePart): void {
  const [least, most] = range(numbers);
  // 8-bit pixels as they are, others by their range.
  const [from, scale] = least >= 0 && most > 2 && most <= 255 ? [0, 1] : [least, 255 / (most - least || 1)];
  for (let at = 0; at < part.width * part.height; at++) {
    for (let channel = 0; channel < 3; channel++) {
      image.data[4 * at + channel] = ((numbers[indexOf(part, channel, at)] ?? 0) - from) * scale;
    }
    image.data[4 * at + 3] = 255;
  }
}

// From dark blue over violet and orange to light yellow: light grows evenly, as in matplotlib's inferno.
const STOPS = [
  [13, 8, 60],
  [106, 23, 110],
  [188, 55, 84],
  [249, 142, 9],
  [252, 255, 164],
] as const;

function paintMap(
  image: ImageData,
  numbers: ArrayLike<number>,
  part: PicturePart,
  channel: number,
  strength: number,
): void {
  const [least, most] = range(numbers);
  for (let at = 0; at < part.width * part.height; at++) {
    const value = ((numbers[indexOf(part, channel, at)] ?? 0) - least) / (most - least || 1);
    const place = Math.min(STOPS.length - 1.001, Math.max(0, value) * (STOPS.length - 1));
    const [low, high] = [STOPS[Math.floor(place)], STOPS[Math.floor(place) + 1]];
    if (!low || !high) continue;
    for (const colour of [0, 1, 2] as const) {
      image.data[4 * at + colour] = low[colour] + (high[colour] - low[colour]) * (place % 1);
    }
    image.data[4 * at + 3] = 255 * (strength === 1 ? 1 : strength * value);
  }
}

function range(numbers: ArrayLike<number>): [number, number] {
  const { least, most } = summaryOf(numbers);
  return [least, most];
}
