// What is known of one node.
import { shapeText, sizeText, timeText } from '../ui/format.js';
import type { LoadedModel } from './loaded.js';
import type { Measured } from './measure.js';
import { NodeStatistics } from './node-statistics.js';
import type { Graph, Node, Weight } from './types.js';
import { operatorName } from './types.js';

interface Properties {
  readonly loaded: LoadedModel;
  readonly graph: Graph;
  readonly node: Node;
  readonly shapes: ReadonlyMap<string, string>;
  readonly measured: Measured | undefined;
  readonly onClose: () => void;
  /** Shows a graph inside the node. */
  readonly onEnter: (title: string, graph: Graph) => void;
}

export function NodeDetails({ loaded, graph, node, shapes, measured, onClose, onEnter }: Properties) {
  const weights = new Map(graph.weights.map((weight) => [weight.name, weight]));
  return (
    <aside class="details" aria-label={`Node ${operatorName(node)}`}>
      <div class="details-head">
        <h3>{operatorName(node)}</h3>
        <button type="button" class="icon-button" aria-label="Close the details" onClick={onClose}>
          ×
        </button>
      </div>
      <p class="hint">{node.name || 'without a name'}</p>
      {measured && <Cost node={node} measured={measured} />}
      {node.attributes.length > 0 && (
        <>
          <h4>Attributes</h4>
          <dl class="pairs">
            {node.attributes.map(({ name, text, graph: inner }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {inner ? (
                    <button
                      type="button"
                      class="quiet"
                      onClick={() => {
                        onEnter(`${operatorName(node)} ${name}`, inner);
                      }}
                    >
                      Open {text}
                    </button>
                  ) : (
                    text
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <Arguments title="Inputs" names={node.inputs} shapes={shapes} weights={weights} />
      <Arguments title="Outputs" names={node.outputs} shapes={shapes} weights={weights} />
      {graph === loaded.parsed.graph && loaded.missing?.length === 0 && <NodeStatistics loaded={loaded} node={node} />}
    </aside>
  );
}

function Cost({ node, measured }: { readonly node: Node; readonly measured: Measured }) {
  const cost = measured.costs.get(node.index);
  if (!cost) return <p class="hint">It became part of another node, or was computed when the model was loaded.</p>;
  const total = measured.profile.reduce((sum, { duration }) => sum + duration, 0) || 1;
  return (
    <dl class="figures small">
      <div>
        <dt>time</dt>
        <dd>{timeText(cost.time)}</dd>
      </div>
      <div>
        <dt>of all</dt>
        <dd>{((100 * cost.time) / total).toFixed(1)} %</dd>
      </div>
      {cost.kernel !== '' && (
        <div class="wide">
          <dt>kernel</dt>
          <dd>
            <code>{cost.kernel}</code>
          </dd>
        </div>
      )}
    </dl>
  );
}

interface ArgumentsProperties {
  readonly title: string;
  readonly names: readonly string[];
  readonly shapes: ReadonlyMap<string, string>;
  readonly weights: ReadonlyMap<string, Weight>;
}

function Arguments({ title, names, shapes, weights }: ArgumentsProperties) {
  return (
    <>
      <h4>{title}</h4>
      <ul class="values">
        {names.map((name, at) => {
          const weight = weights.get(name);
          const note = weight
            ? `${weight.type} ${shapeText(weight.shape)}, ${sizeText(weight.bytes)}`
            : (shapes.get(name) ?? '');
          return (
            <li key={`${at} ${name}`}>
              <span class="value-name">{name || 'left out'}</span>
              <span class="value-type">{note}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
