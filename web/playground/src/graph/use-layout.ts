// The layout of a graph, as soon as there is one.
import { useEffect, useState } from 'preact/hooks';
import type { Graph } from '../model/types.js';
import { fail } from '../state.js';
import type { Layout } from './layout.js';
import type { LayoutAnswer } from './layout.worker.js';

export interface Drawn {
  readonly layout: Layout;
  /** No finer one follows. */
  readonly last: boolean;
}

export function useLayout(graph: Graph): Drawn | undefined {
  const [made, setMade] = useState<LayoutAnswer & { readonly graph: Graph }>();
  useEffect(() => {
    const start = performance.now();
    const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module', name: 'layout' });
    worker.addEventListener('message', ({ data }: MessageEvent<LayoutAnswer>) => {
      setMade({ graph, ...data });
      performance.measure(data.last ? 'graph laid out' : 'graph laid out at once', { start });
      if (data.last) worker.terminate();
    });
    worker.addEventListener('error', ({ message }) => {
      // What was drawn at once stays.
      setMade((now) => now && { ...now, last: true });
      fail(new Error(message || 'the graph cannot be laid out'));
      worker.terminate();
    });
    worker.postMessage(graph);
    return () => worker.terminate();
  }, [graph]);
  return made?.graph === graph ? made : undefined;
}
