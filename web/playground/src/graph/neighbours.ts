// Where arrow keys lead: down and up along edges, sideways to what stands beside.
import type { Box, Layout } from './layout.js';

export function neighbourOf(layout: Layout, from: string, key: string): string | undefined {
  switch (key) {
    case 'ArrowDown':
      return layout.edges.find((edge) => edge.from === from)?.to;
    case 'ArrowUp':
      return layout.edges.find((edge) => edge.to === from)?.from;
    case 'ArrowRight':
      return beside(layout, from, 1);
    case 'ArrowLeft':
      return beside(layout, from, -1);
    case 'Home':
      return layout.boxes[0]?.id;
    case 'End':
      return layout.boxes.at(-1)?.id;
    default:
      return undefined;
  }
}

function beside({ boxes }: Layout, from: string, direction: 1 | -1): string | undefined {
  const here = boxes.find(({ id }) => id === from);
  if (!here) return undefined;
  const distance = (box: Box) => (box.x - here.x) * direction;
  const row = boxes.filter((box) => Math.abs(box.y - here.y) < here.height / 2 && distance(box) > 0);
  return row.sort((a, b) => distance(a) - distance(b))[0]?.id;
}
