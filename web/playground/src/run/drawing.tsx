// A place to draw with mouse, pen or finger: white on black, as models of handwriting take it.
import { useEffect, useRef } from 'preact/hooks';
import type { ValueInfo } from '../model/types.js';
import { model } from '../state.js';
import { choose, run } from './run-state.js';

const SIDE = 280;
const PEN = 22;

export function Drawing({ value }: { readonly value: ValueInfo }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const last = useRef<{ x: number; y: number } | undefined>(undefined);
  const context = () => canvas.current?.getContext('2d', { willReadFrequently: true });
  const clear = () => {
    const paper = context();
    if (!paper) return;
    paper.fillStyle = '#000';
    paper.fillRect(0, 0, SIDE, SIDE);
  };
  useEffect(clear, []);
  const place = (event: PointerEvent) => {
    const { left, top, width } = (event.currentTarget as Element).getBoundingClientRect();
    return { x: ((event.clientX - left) * SIDE) / width, y: ((event.clientY - top) * SIDE) / width };
  };
  const stroke = (to: { x: number; y: number }) => {
    const paper = context();
    const from = last.current;
    if (!paper || !from) return;
    paper.strokeStyle = '#fff';
    paper.lineWidth = PEN;
    paper.lineCap = 'round';
    paper.beginPath();
    paper.moveTo(from.x, from.y);
    paper.lineTo(to.x, to.y + 0.01);
    paper.stroke();
    last.current = to;
  };
  const finish = async () => {
    if (!last.current || !canvas.current) return;
    last.current = undefined;
    choose(value.name, { picture: await createImageBitmap(canvas.current) });
    if (model.value) void run(model.value);
  };
  return (
    <div class="drawing">
      <canvas
        ref={canvas}
        width={SIDE}
        height={SIDE}
        role="img"
        aria-label="Draw here with mouse, pen or finger; a picture can be chosen instead"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          last.current = place(event);
          stroke(place(event));
        }}
        onPointerMove={(event) => {
          if (last.current) stroke(place(event));
        }}
        onPointerUp={() => void finish()}
        onPointerCancel={() => void finish()}
      />
      <button type="button" class="quiet" onClick={clear}>
        Wipe
      </button>
    </div>
  );
}
