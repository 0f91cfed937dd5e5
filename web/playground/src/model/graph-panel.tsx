// The graph with what belongs to it: how it is coloured, a search, the details of a node.
import { useMemo, useState } from 'preact/hooks';
import { GraphView } from '../graph/graph-view.js';
import { useLayout } from '../graph/use-layout.js';
import { measureNow, measuring } from '../run/measuring.js';
import { timeText } from '../ui/format.js';
import type { LoadedModel } from './loaded.js';
import type { Measured } from './measure.js';
import { NodeDetails } from './node-details.js';
import type { Graph } from './types.js';
import { operatorName } from './types.js';

interface Properties {
  readonly loaded: LoadedModel;
  /** The operator whose nodes are to be seen. */
  readonly highlighted: string | undefined;
  readonly measured: Measured | undefined;
}

/** A graph inside a node, and how it is called. */
interface Level {
  readonly title: string;
  readonly graph: Graph;
}

export function GraphPanel({ loaded, highlighted, measured }: Properties) {
  const { graph: main } = loaded.parsed;
  const [levels, setLevels] = useState<readonly Level[]>([]);
  const [selected, setSelected] = useState<string>();
  const graph = levels.at(-1)?.graph ?? main;
  const drawn = useLayout(graph);
  const isMain = graph === main;
  const heat = useMemo(
    () => (highlighted === undefined ? heatOf(graph, isMain ? measured : undefined) : markOf(graph, highlighted)),
    [graph, isMain, measured, highlighted],
  );
  const shapes = useMemo(() => shapesOf(graph, isMain ? measured : undefined), [graph, isMain, measured]);
  const enter = (next: readonly Level[]) => {
    setLevels(next);
    setSelected(undefined);
  };
  const node = selected?.startsWith('n') ? graph.nodes[Number(selected.slice(1))] : undefined;
  return (
    <section class="graph-panel" aria-label="Graph">
      <div class="graph-head">
        <Path levels={levels} onChange={enter} />
        <Search graph={graph} onFound={setSelected} />
        {isMain && (
          <button
            type="button"
            class="quiet"
            disabled={measuring.value || loaded.missing?.length !== 0}
            onClick={() => void measureNow(loaded)}
            title="Runs it on the inputs of the Run view, or made-up ones"
          >
            {measuring.value ? 'Measuring …' : measured ? 'Measure again' : 'Measure'}
          </button>
        )}
      </div>
      <div class="graph-body" aria-busy={drawn?.last !== true}>
        {drawn ? (
          <GraphView
            layout={drawn.layout}
            refining={!drawn.last}
            selected={selected}
            heat={heat}
            shapeOf={(value) => shapes.get(value) ?? ''}
            onSelect={setSelected}
          />
        ) : (
          <p class="graph-wait" role="status">
            Drawing the graph …
          </p>
        )}
        {node && (
          <NodeDetails
            key={selected}
            loaded={loaded}
            graph={graph}
            node={node}
            shapes={shapes}
            measured={isMain ? measured : undefined}
            onClose={() => {
              setSelected(undefined);
            }}
            onEnter={(title, inner) => {
              enter([...levels, { title, graph: inner }]);
            }}
          />
        )}
      </div>
      <Legend measured={isMain ? measured : undefined} highlighted={highlighted} />
    </section>
  );
}

/** Time where it was measured, bytes of weights before. Roots, so that small shares can be told apart. */
function heatOf(graph: Graph, measured: Measured | undefined): Map<number, number> {
  const sizes = new Map(graph.weights.map(({ name, bytes }) => [name, bytes]));
  const costs = graph.nodes.map(({ index, inputs }) =>
    measured
      ? ([index, measured.costs.get(index)?.time ?? 0] as const)
      : ([index, inputs.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)] as const),
  );
  const most = Math.max(1, ...costs.map(([, cost]) => cost));
  return new Map(costs.map(([index, cost]) => [index, Math.sqrt(cost / most)]));
}

function markOf(graph: Graph, operator: string): Map<number, number> {
  return new Map(graph.nodes.map((node) => [node.index, operatorName(node) === operator ? 1 : 0]));
}

/** What a run has shown, or else what the file says. */
function shapesOf(graph: Graph, measured: Measured | undefined): Map<string, string> {
  const declared = [...graph.values, ...graph.inputs, ...graph.outputs]
    .filter(({ shape }) => shape !== null)
    .map(({ name, shape }) => [name, (shape ?? []).map((dim) => dim ?? '?').join('×') || 'scalar'] as const);
  const seen = [...(measured?.shapes ?? [])].map(([name, text]) => [name, shapeOfText(text)] as const);
  return new Map([...declared, ...seen]);
}

/** `float[1,3]` as `1×3`. */
function shapeOfText(text: string): string {
  const dims = /\[(.*)\]$/.exec(text)?.[1];
  return dims === undefined ? text : dims.replaceAll(/,\s*/g, '×') || 'scalar';
}

interface PathProperties {
  readonly levels: readonly Level[];
  readonly onChange: (levels: readonly Level[]) => void;
}

function Path({ levels, onChange }: PathProperties) {
  if (levels.length === 0) return <h2>Graph</h2>;
  return (
    <nav class="path" aria-label="Graphs inside nodes">
      <button
        type="button"
        class="quiet"
        onClick={() => {
          onChange([]);
        }}
      >
        Graph
      </button>
      {levels.map(({ title }, at) => (
        <button
          key={title}
          type="button"
          class="quiet"
          aria-current={at === levels.length - 1 ? 'location' : undefined}
          onClick={() => {
            onChange(levels.slice(0, at + 1));
          }}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}

function Search({ graph, onFound }: { readonly graph: Graph; readonly onFound: (id: string) => void }) {
  const find = (text: string) => {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return;
    const fits = (part: string) => part.toLowerCase().includes(wanted);
    const node =
      graph.nodes.find(({ name }) => name.toLowerCase() === wanted) ??
      graph.nodes.find((each) => fits(each.name) || fits(operatorName(each)) || each.outputs.some(fits));
    if (node) onFound(`n${node.index}`);
  };
  return (
    <input
      type="search"
      class="graph-search"
      aria-label="Find a node by name, operator or value"
      placeholder="Find a node"
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') find(currentTarget.value);
      }}
      onChange={({ currentTarget }) => {
        find(currentTarget.value);
      }}
    />
  );
}

function Legend({ measured, highlighted }: Pick<Properties, 'measured' | 'highlighted'>) {
  const total = measured?.profile.reduce((sum, { duration }) => sum + duration, 0) ?? 0;
  const text =
    highlighted !== undefined
      ? `${highlighted} is coloured.`
      : measured
        ? `Colour is time: ${timeText(total)} in all, ${measured.threads === 1 ? 'one thread' : `${measured.threads} threads`}. Nodes without colour became part of others.`
        : 'Colour is the size of weights. Measure to see time and shapes.';
  return (
    <p class="graph-legend">
      <span class="scale" aria-hidden="true" /> {text}
    </p>
  );
}
