// What a run tells of the nodes: shapes as the file's graph has them, times as the optimised graph has them.
import type { InferenceSession } from 'onnxlet';
import type { Graph, Node } from './types.js';
import { operatorName } from './types.js';

export type ProfileEntry = InferenceSession.ProfileEntry;

export interface NodeCost {
  /** Microseconds. */
  readonly time: number;
  readonly kernel: string;
}

export interface Measured {
  /** What runs of the graph as it is written gave, by value: `float[1,3]`. */
  readonly shapes: ReadonlyMap<string, string>;
  /** By node index. Nodes that are missing became part of others. */
  readonly costs: ReadonlyMap<number, NodeCost>;
  readonly profile: readonly ProfileEntry[];
  readonly threads: number;
  readonly flavour: string;
}

/** Names of values to the shapes that a run of the graph as it is written had. */
export function shapesOf(graph: Graph, profile: readonly ProfileEntry[]): Map<string, string> {
  const shapes = new Map<string, string>();
  for (const [node, entry] of matched(graph.nodes, profile)) {
    node.inputs.filter((name) => name !== '').forEach((name, at) => put(shapes, name, entry.inputs[at]));
    node.outputs.filter((name) => name !== '').forEach((name, at) => put(shapes, name, entry.outputs[at]));
  }
  return shapes;
}

export function costsOf(graph: Graph, profile: readonly ProfileEntry[]): Map<number, NodeCost> {
  const costs = new Map<number, NodeCost>();
  for (const [node, { duration, kernel }] of matched(graph.nodes, profile)) {
    costs.set(node.index, { time: duration, kernel: kernel ?? '' });
  }
  return costs;
}

function put(shapes: Map<string, string>, name: string, shape: string | undefined): void {
  if (shape !== undefined && !shapes.has(name)) shapes.set(name, shape);
}

/** By name where names are unique; the others in the order in which both list them. */
function matched(nodes: readonly Node[], profile: readonly ProfileEntry[]): (readonly [Node, ProfileEntry])[] {
  const byName = Map.groupBy(nodes, ({ name }) => name);
  const waiting = Map.groupBy(nodes, (node) => `${operatorName(node)} ${node.name}`);
  return profile.flatMap((entry) => {
    const named = entry.node === '' ? undefined : byName.get(entry.node);
    const node = named?.length === 1 ? named[0] : waiting.get(`${operatorName(entry)} ${entry.node}`)?.shift();
    return node ? [[node, entry] as const] : [];
  });
}
