// What is in a model: its inputs and outputs, operators and weights beside its graph.
import { useState } from 'preact/hooks';
import { Figures } from '../ui/figures.js';
import { countText, plural, shapeText, sizeText, typeText } from '../ui/format.js';
import { Notice } from '../ui/notice.js';
import { measured, model } from '../state.js';
import type { LoadedModel } from './loaded.js';
import { GraphPanel } from './graph-panel.js';
import type { Graph, ValueInfo } from './types.js';
import { operatorName, requiredInputs } from './types.js';

export function ModelView() {
  const loaded = model.value;
  const [operator, setOperator] = useState<string>();
  if (!loaded) return null;
  const { graph } = loaded.parsed;
  return (
    <div class="model-view">
      <div class="model-facts">
        <h1 class="unseen">Model</h1>
        <MissingNotice loaded={loaded} />
        <Summary loaded={loaded} />
        <Values title="Inputs" values={requiredInputs(graph)} />
        <Values title="Outputs" values={graph.outputs} />
        <Operators loaded={loaded} chosen={operator} onChoose={setOperator} />
        <Weights graph={graph} />
        <About loaded={loaded} />
      </div>
      <GraphPanel loaded={loaded} highlighted={operator} measured={measured.value} />
    </div>
  );
}

function MissingNotice({ loaded: { missing, parsed, companions, name } }: { readonly loaded: LoadedModel }) {
  const absent = parsed.externalFiles.filter((file) => !companions.has(file));
  return (
    <>
      {missing && missing.length > 0 && (
        <Notice
          explanation={{
            title: `${name} cannot run here: ${plural(missing.length, 'operator')} missing`,
            advice: 'You can still look at it. Exporting with another opset version often avoids them.',
            details: missing
              .map((use) => `${operatorName(use)}${use.since > 0 ? `, version ${use.since}` : ''}`)
              .join('\n'),
          }}
        />
      )}
      {absent.length > 0 && (
        <Notice
          explanation={{
            title: 'Its weights are in other files',
            advice: `Drop the model again together with ${absent.join(', ')} to run it.`,
          }}
        />
      )}
    </>
  );
}

function Summary({ loaded }: { readonly loaded: LoadedModel }) {
  const { graph, opsets } = loaded.parsed;
  const parameters = graph.weights.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
  const opset = opsets.find(([domain]) => domain === '' || domain === 'ai.onnx')?.[1];
  const facts: [string, string][] = [
    ['nodes', countText(graph.nodes.length)],
    ['parameters', compact(parameters)],
    ['weights', sizeText(graph.weights.reduce((sum, { bytes }) => sum + bytes, 0))],
    ['opset', opset === undefined ? '–' : String(opset)],
  ];
  return <Figures facts={facts} />;
}

const compact = (count: number) =>
  Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(count);

function Values({ title, values }: { readonly title: string; readonly values: readonly ValueInfo[] }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <ul class="values">
        {values.map(({ name, type, shape }) => (
          <li key={name}>
            <span class="value-name">{name}</span>
            <span class="value-type">
              <b>{typeText(type)}</b> {type.startsWith('tensor') && shapeText(shape)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface OperatorsProperties {
  readonly loaded: LoadedModel;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string | undefined) => void;
}

function Operators({ loaded: { parsed, missing }, chosen, onChoose }: OperatorsProperties) {
  const counts = new Map<string, number>();
  countOperators(parsed.graph, counts);
  const lacking = new Set(missing?.map(operatorName));
  const rows = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
  return (
    <section class="card">
      <h2>Operators</h2>
      <p class="hint">Choose one to find it in the graph.</p>
      <ul class="chips">
        {rows.map(([name, count]) => (
          <li key={name}>
            <button
              type="button"
              class={`chip ${lacking.has(name) ? 'lacking' : ''}`}
              aria-pressed={chosen === name}
              onClick={() => {
                onChoose(chosen === name ? undefined : name);
              }}
            >
              {name} <span>{countText(count)}</span>
              {lacking.has(name) && <span class="unseen">, not supported</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function countOperators(graph: Graph, counts: Map<string, number>): void {
  for (const node of graph.nodes) {
    counts.set(operatorName(node), (counts.get(operatorName(node)) ?? 0) + 1);
    for (const attribute of node.attributes) if (attribute.graph) countOperators(attribute.graph, counts);
  }
}

const MOST_WEIGHTS = 8;

function Weights({ graph: { weights } }: { readonly graph: Graph }) {
  const [all, setAll] = useState(false);
  if (weights.length === 0) return null;
  const total = weights.reduce((sum, { bytes }) => sum + bytes, 0);
  const sorted = [...weights].sort((a, b) => b.bytes - a.bytes);
  const types = Map.groupBy(weights, ({ type }) => type);
  const shares = [...types].map(([type, of]) => ({ type, bytes: of.reduce((sum, { bytes }) => sum + bytes, 0) }));
  return (
    <section class="card">
      <h2>Weights</h2>
      <p class="hint">
        {shares
          .sort((a, b) => b.bytes - a.bytes)
          .map(({ type, bytes }) => `${sizeText(bytes)} ${type}`)
          .join(', ')}
      </p>
      <ul class="bars">
        {sorted.slice(0, all ? 500 : MOST_WEIGHTS).map(({ name, shape, bytes }) => (
          <li key={name}>
            <span class="bar-name" title={name}>
              {name}
            </span>
            <span class="bar-note">{shapeText(shape)}</span>
            <span class="bar-size">{sizeText(bytes)}</span>
            <span class="bar-fill" style={{ width: `${(100 * bytes) / (sorted[0]?.bytes || total || 1)}%` }} />
          </li>
        ))}
      </ul>
      {weights.length > MOST_WEIGHTS && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setAll(!all);
          }}
        >
          {all ? 'Only the largest' : `All ${countText(weights.length)}`}
        </button>
      )}
    </section>
  );
}

function About({ loaded }: { readonly loaded: LoadedModel }) {
  const { producer, doc, opsets, metadata, irVersion, functions, graph } = loaded.parsed;
  const rows: [string, string][] = [
    ['graph', graph.name],
    ['made by', producer],
    ['IR version', String(irVersion)],
    ['opsets', opsets.map(([domain, version]) => `${domain || 'ai.onnx'} ${version}`).join(', ')],
    ['functions', functions.join(', ')],
    ['description', doc || graph.doc],
    ...metadata.map(([key, value]): [string, string] => [key, value.length > 300 ? `${value.slice(0, 300)}…` : value]),
  ];
  return (
    <section class="card">
      <h2>About the file</h2>
      <dl class="pairs">
        {rows
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <p class="hint">Described {Math.round(loaded.readTime)} ms after it was dropped.</p>
    </section>
  );
}
