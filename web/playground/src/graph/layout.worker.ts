// Lays a graph out beside the page: at once, then finely. It is ended when nobody waits any more.
import type { Graph } from '../model/types.js';
import type { Layout } from './layout.js';
import { fineLayout, quickLayout } from './layout.js';

export interface LayoutAnswer {
  readonly layout: Layout;
  /** No finer one follows. */
  readonly last: boolean;
}

/** Nodes up to which the fine layout is there before anybody could see another one. */
const AT_ONCE = 100;

addEventListener('message', ({ data: graph }: MessageEvent<Graph>) => {
  const tell = (answer: LayoutAnswer) => postMessage(answer);
  const quick = quickLayout(graph);
  if (graph.nodes.length > AT_ONCE) tell({ layout: quick, last: false });
  tell({ layout: fineLayout(graph) ?? quick, last: true });
});
