// Where the nodes of a graph are drawn: layers from top to bottom, computed by dagre.
import * as dagre from '@dagrejs/dagre';
import type { Graph, Node } from '../model/types.js';
import { operatorName, requiredInputs } from '../model/types.js';

export interface Box {
  /** `n3` for node 3, `in:x` and `out:y` for inputs and outputs of the graph. */
  readonly id: string;
  readonly kind: 'node' | 'input' | 'output';
  readonly label: string;
  /** The node's index, or -1. */
  readonly node: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** The value that flows. */
  readonly value: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
}

const HEIGHT = 34;
const CHARACTER = 7.4;
const PADDING = 26;
/** Beyond, the layout's ordering takes longer than anybody waits. */
const MOST_ORDERED = 800;

type Placed = Omit<Box, 'x' | 'y'>;

export function layoutGraph(graph: Graph): Layout {
  const nodes = drawnNodes(graph);
  const boxes = boxesOf(graph, nodes);
  const links = linksOf(graph, nodes);
  return boxes.length > MOST_ORDERED ? inLayers(boxes, links) : byDagre(boxes, links);
}

const RANDOM = /^(Random|Bernoulli|Multinomial|Dropout)/;

/** Nodes that depend on an input. The others make weights: their consumers' details tell of them. */
export function drawnNodes(graph: Graph): Node[] {
  const alive = new Set(requiredInputs(graph).map(({ name }) => name));
  const drawn = graph.nodes.filter((node) => {
    const depends = [...node.inputs, ...outerValues(node)].some((name) => alive.has(name));
    if (!depends && !RANDOM.test(node.opType)) return false;
    for (const name of node.outputs) if (name) alive.add(name);
    return true;
  });
  return drawn.length > 0 ? drawn : [...graph.nodes];
}

function boxesOf(graph: Graph, nodes: readonly Node[]): Placed[] {
  const box = (id: string, kind: Box['kind'], label: string, node: number): Placed => ({
    ...{ id, kind, label, node },
    width: Math.min(220, Math.max(64, label.length * CHARACTER + PADDING)),
    height: HEIGHT,
  });
  return [
    ...requiredInputs(graph).map(({ name }) => box(`in:${name}`, 'input', name, -1)),
    ...nodes.map((node) => box(`n${node.index}`, 'node', operatorName(node), node.index)),
    ...graph.outputs.map(({ name }) => box(`out:${name}`, 'output', name, -1)),
  ];
}

interface Link {
  readonly from: string;
  readonly to: string;
  readonly value: string;
}

function linksOf(graph: Graph, nodes: readonly Node[]): Link[] {
  const makers = new Map(requiredInputs(graph).map(({ name }) => [name, `in:${name}`]));
  for (const node of nodes) for (const name of node.outputs) if (name) makers.set(name, `n${node.index}`);
  const links: Link[] = [];
  const connect = (value: string, to: string) => {
    const from = makers.get(value);
    if (from !== undefined && from !== to) links.push({ from, to, value });
  };
  for (const node of nodes) {
    for (const value of new Set([...node.inputs, ...outerValues(node)])) connect(value, `n${node.index}`);
  }
  for (const { name } of graph.outputs) connect(name, `out:${name}`);
  return links;
}

/** What the graphs inside a node take from the graph around it. */
function outerValues(node: Node): string[] {
  return node.attributes.flatMap(({ graph }) => {
    if (!graph) return [];
    const own = new Set([...graph.inputs, ...graph.weights].map(({ name }) => name));
    for (const inner of graph.nodes) for (const name of inner.outputs) own.add(name);
    const used = [
      ...graph.nodes.flatMap((inner) => [...inner.inputs, ...outerValues(inner)]),
      ...graph.outputs.map(({ name }) => name),
    ];
    return used.filter((name) => name !== '' && !own.has(name));
  });
}

function byDagre(boxes: readonly Placed[], links: readonly Link[]): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 40, marginx: 24, marginy: 24, ranker: 'tight-tree' });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.id, { width: box.width, height: box.height });
  for (const { from, to, value } of links) graph.setEdge(from, to, {}, value);
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    boxes: boxes.map((box) => {
      const { x, y } = graph.node(box.id) as { x: number; y: number };
      return { ...box, x, y };
    }),
    edges: links.map((link) => {
      const { points } = graph.edge(link.from, link.to, link.value) as { points: { x: number; y: number }[] };
      return { ...link, points: points.map(({ x, y }) => [x, y] as const) };
    }),
  };
}

/** Layers by the longest way from an input, in the file's order inside a layer. */
function inLayers(boxes: readonly Placed[], links: readonly Link[]): Layout {
  const [gapX, gapY, margin] = [28, 40, 24];
  const incoming = Map.groupBy(links, ({ to }) => to);
  const layer = new Map<string, number>();
  for (const { id } of boxes) {
    layer.set(id, Math.max(0, ...(incoming.get(id) ?? []).map(({ from }) => (layer.get(from) ?? 0) + 1)));
  }
  const layers = Map.groupBy(boxes, ({ id }) => layer.get(id) ?? 0);
  const widthOf = (row: readonly Placed[]) => row.reduce((sum, box) => sum + box.width + gapX, -gapX);
  const width = Math.max(0, ...[...layers.values()].map(widthOf)) + 2 * margin;
  const placed = [...layers].flatMap(([depth, row]) => {
    let left = (width - widthOf(row)) / 2;
    return row.map((box): Box => {
      const x = left + box.width / 2;
      left += box.width + gapX;
      return { ...box, x, y: margin + HEIGHT / 2 + depth * (HEIGHT + gapY) };
    });
  });
  const at = new Map(placed.map((box) => [box.id, box]));
  const edges = links.flatMap((link): Edge[] => {
    const [from, to] = [at.get(link.from), at.get(link.to)];
    if (!from || !to) return [];
    return [
      {
        ...link,
        points: [
          [from.x, from.y + HEIGHT / 2],
          [to.x, to.y - HEIGHT / 2],
        ] as const,
      },
    ];
  });
  return { width, height: margin * 2 + layers.size * (HEIGHT + gapY) - gapY, boxes: placed, edges };
}
