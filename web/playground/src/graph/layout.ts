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
/** Beyond, dagre takes longer than anybody waits for a nicer drawing. */
const MOST_ORDERED = 1500;
/** Layers that a link passes for dagre to lead it around what stands there: the work grows with what it passes. */
const MOST_PASSED = 12;

type Placed = Omit<Box, 'x' | 'y'>;

/** Drawn at once, for a graph of any size. */
export function quickLayout(graph: Graph): Layout {
  const { boxes, links } = partsOf(graph);
  return inLayers(boxes, links, ranksOf(boxes, links));
}

/** With links around nodes and few crossings; undefined where that would take too long. */
export function fineLayout(graph: Graph): Layout | undefined {
  const { boxes, links } = partsOf(graph);
  return boxes.length > MOST_ORDERED ? undefined : byDagre(boxes, links, ranksOf(boxes, links));
}

function partsOf(graph: Graph): { boxes: Placed[]; links: Link[] } {
  const nodes = drawnNodes(graph);
  return { boxes: boxesOf(graph, nodes), links: linksOf(graph, nodes) };
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

/** The longest way from a start, by box. Boxes stand behind those they depend on. */
function ranksOf(boxes: readonly Placed[], links: readonly Link[]): Map<string, number> {
  const incoming = Map.groupBy(links, ({ to }) => to);
  const ranks = new Map<string, number>();
  for (const { id } of boxes) {
    const rank = (incoming.get(id) ?? []).reduce((most, { from }) => Math.max(most, (ranks.get(from) ?? 0) + 1), 0);
    ranks.set(id, rank);
  }
  return ranks;
}

function byDagre(boxes: readonly Placed[], links: readonly Link[], ranks: ReadonlyMap<string, number>): Layout {
  const long = longLinks(links, ranks);
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 40, marginx: 24, marginy: 24, ranker: 'tight-tree' });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.id, { width: box.width, height: box.height });
  for (const link of links) if (!long.has(link)) graph.setEdge(link.from, link.to, {}, link.value);
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const placed = boxes.map((box): Box => {
    const { x, y } = graph.node(box.id) as { x: number; y: number };
    return { ...box, x, y };
  });
  const straight = straightEdges(placed, [...long]);
  const bent = links
    .filter((link) => !long.has(link))
    .map((link) => {
      const { points } = graph.edge(link.from, link.to, link.value) as { points: { x: number; y: number }[] };
      return { ...link, points: points.map(({ x, y }) => [x, y] as const) };
    });
  return { width, height, boxes: placed, edges: [...bent, ...straight] };
}

/** Links that pass many layers, but for one of each box: the shortest that leads to it, and from it. */
function longLinks(links: readonly Link[], ranks: ReadonlyMap<string, number>): Set<Link> {
  const passed = ({ from, to }: Link) => (ranks.get(to) ?? 0) - (ranks.get(from) ?? 0);
  const long = new Set(links.filter((link) => passed(link) > MOST_PASSED));
  for (const end of ['to', 'from'] as const) {
    for (const own of Map.groupBy(links, (link) => link[end]).values()) {
      long.delete(own.reduce((shortest, link) => (passed(link) < passed(shortest) ? link : shortest)));
    }
  }
  return long;
}

const [GAP_X, GAP_Y, MARGIN] = [28, 40, 24];
/** Times that boxes move below and above those they are connected with. */
const SWEEPS = 8;

/** Layers by rank. In each, boxes stand near those that they are connected with. */
function inLayers(boxes: readonly Placed[], links: readonly Link[], ranks: ReadonlyMap<string, number>): Layout {
  const layers = [...Map.groupBy(boxes, ({ id }) => ranks.get(id) ?? 0)].sort(([a], [b]) => a - b);
  const above = Map.groupBy(links, ({ to }) => to);
  const below = Map.groupBy(links, ({ from }) => from);
  const xs = new Map<string, number>();
  for (const [, row] of layers) spread(row, () => 0, xs);
  const mean = (own: readonly Link[] | undefined, end: 'from' | 'to', id: string) =>
    own ? own.reduce((sum, link) => sum + (xs.get(link[end]) ?? 0), 0) / own.length : (xs.get(id) ?? 0);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    for (const [, row] of down ? layers : [...layers].reverse()) {
      spread(row, ({ id }) => (down ? mean(above.get(id), 'from', id) : mean(below.get(id), 'to', id)), xs);
    }
  }
  const left = Math.min(0, ...boxes.map(({ id, width }) => (xs.get(id) ?? 0) - width / 2)) - MARGIN;
  const placed = layers.flatMap(([, row], depth) =>
    row.map((box): Box => {
      return { ...box, x: (xs.get(box.id) ?? 0) - left, y: MARGIN + HEIGHT / 2 + depth * (HEIGHT + GAP_Y) };
    }),
  );
  return {
    width: placed.reduce((most, { x, width }) => Math.max(most, x + width / 2), 0) + MARGIN,
    height: 2 * MARGIN + layers.length * (HEIGHT + GAP_Y) - GAP_Y,
    boxes: placed,
    edges: straightEdges(placed, links),
  };
}

/** Places the boxes of a row as near to where they want to be as their widths allow, in that order. */
function spread(row: readonly Placed[], wanted: (box: Placed) => number, xs: Map<string, number>): void {
  const order = row.map((box) => ({ box, wish: wanted(box) })).sort((a, b) => a.wish - b.wish);
  // Boxes that would overlap become a group around the mean of their wishes.
  const groups: { from: number; to: number; centre: number; width: number }[] = [];
  order.forEach(({ box, wish }, at) => {
    let group = { from: at, to: at, centre: wish, width: box.width + GAP_X };
    for (let last = groups.at(-1); last; last = groups.at(-1)) {
      if (last.centre + last.width / 2 <= group.centre - group.width / 2) break;
      groups.pop();
      const width = last.width + group.width;
      const centre = (last.centre * last.width + group.centre * group.width) / width;
      group = { from: last.from, to: group.to, centre, width };
    }
    groups.push(group);
  });
  for (const { from, to, centre, width } of groups) {
    let left = centre - width / 2;
    for (const { box } of order.slice(from, to + 1)) {
      xs.set(box.id, left + GAP_X / 2 + box.width / 2);
      left += box.width + GAP_X;
    }
  }
}

function straightEdges(boxes: readonly Box[], links: readonly Link[]): Edge[] {
  const at = new Map(boxes.map((box) => [box.id, box]));
  return links.flatMap((link): Edge[] => {
    const [from, to] = [at.get(link.from), at.get(link.to)];
    if (!from || !to) return [];
    const points = [[from.x, from.y + HEIGHT / 2] as const, [to.x, to.y - HEIGHT / 2] as const];
    return [{ ...link, points }];
  });
}
