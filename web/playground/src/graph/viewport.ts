// Panning and zooming: which part of the drawing an element shows.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Box, Layout } from './layout.js';

export interface Viewport {
  /** Where the drawing's origin is, in pixels of the element. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const LEAST_SCALE = 0.08;
const MOST_SCALE = 2.5;

export function zoomed(view: Viewport, factor: number, at: { x: number; y: number }): Viewport {
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, view.scale * factor));
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** All of the drawing. */
export function fitted(drawing: Size, frame: Size): Viewport {
  const scale = Math.min(
    1,
    Math.max(LEAST_SCALE, Math.min(frame.width / drawing.width, frame.height / drawing.height)),
  );
  return {
    scale,
    x: (frame.width - drawing.width * scale) / 2,
    y: Math.max(0, (frame.height - drawing.height * scale) / 2),
  };
}

/** The top of the drawing, large enough to read. */
export function beginning(drawing: Size, frame: Size): Viewport {
  const scale = Math.min(1, Math.max(0.55, frame.width / drawing.width));
  return { scale, x: (frame.width - drawing.width * scale) / 2, y: 0 };
}

/** The same nodes in another layout: who has not moved sees its beginning, others what they were looking at. */
export function carriedOver(view: Viewport, frame: Size, before: Layout, after: Layout): Viewport {
  const start = beginning(before, frame);
  if (view.scale === start.scale && view.x === start.x && view.y === start.y) return beginning(after, frame);
  const middle = { x: (frame.width / 2 - view.x) / view.scale, y: (frame.height / 2 - view.y) / view.scale };
  const distance = ({ x, y }: Box) => Math.hypot(x - middle.x, y - middle.y);
  const [first] = before.boxes;
  if (!first) return beginning(after, frame);
  const nearest = before.boxes.reduce((best, box) => (distance(box) < distance(best) ? box : best), first);
  const there = after.boxes.find(({ id }) => id === nearest.id) ?? nearest;
  const shift = (from: number, to: number) => (from - to) * view.scale;
  return { ...view, x: view.x + shift(nearest.x, there.x), y: view.y + shift(nearest.y, there.y) };
}

/** A place of the drawing in the middle. */
export function centred(view: Viewport, frame: Size, place: { x: number; y: number }): Viewport {
  const scale = Math.max(view.scale, 0.7);
  return { scale, x: frame.width / 2 - place.x * scale, y: frame.height / 2 - place.y * scale };
}

/** The size of an element, as it changes. */
export function useSize(element: RefObject<Element | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element.current);
    return () => {
      observer.disconnect();
    };
  }, [element]);
  return size;
}

/** Drags pan, two fingers and Ctrl with the wheel zoom, the wheel alone scrolls. */
export function usePanAndZoom(
  element: RefObject<Element | null>,
  change: (update: (view: Viewport) => Viewport) => void,
): void {
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  useEffect(() => {
    const target = element.current;
    if (!(target instanceof SVGElement)) return undefined;
    const place = ({ clientX, clientY }: MouseEvent) => {
      const { left, top } = target.getBoundingClientRect();
      return { x: clientX - left, y: clientY - top };
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const at = place(event);
      change((view) =>
        event.ctrlKey || event.metaKey
          ? zoomed(view, Math.exp(-event.deltaY * 0.01), at)
          : { ...view, x: view.x - event.deltaX, y: view.y - event.deltaY },
      );
    };
    const down = (event: PointerEvent) => {
      if (event.button === 0) pointers.current.set(event.pointerId, place(event));
    };
    const move = (event: PointerEvent) => {
      const before = pointers.current.get(event.pointerId);
      if (!before) return;
      const now = place(event);
      const [other] = [...pointers.current].filter(([id]) => id !== event.pointerId);
      if (!target.hasPointerCapture(event.pointerId) && Math.hypot(now.x - before.x, now.y - before.y) < 4) return;
      // Captured only once it is a drag: a click belongs to the node under it.
      target.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, now);
      if (other) {
        const distance = (from: { x: number; y: number }) => Math.hypot(from.x - other[1].x, from.y - other[1].y);
        change((view) => zoomed(view, distance(now) / Math.max(1, distance(before)), other[1]));
      } else {
        change((view) => ({ ...view, x: view.x + now.x - before.x, y: view.y + now.y - before.y }));
      }
    };
    const up = (event: PointerEvent) => {
      pointers.current.delete(event.pointerId);
    };
    target.addEventListener('wheel', wheel, { passive: false });
    target.addEventListener('pointerdown', down);
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', up);
    target.addEventListener('pointercancel', up);
    return () => {
      target.removeEventListener('wheel', wheel);
      target.removeEventListener('pointerdown', down);
      target.removeEventListener('pointermove', move);
      target.removeEventListener('pointerup', up);
      target.removeEventListener('pointercancel', up);
    };
  }, [element, change]);
}
