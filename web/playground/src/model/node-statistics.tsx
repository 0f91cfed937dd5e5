// The values that come out of a node, in numbers and as a histogram.
import { useState } from 'preact/hooks';
import { makeFeeds } from '../run/run-state.js';
import type { Value } from '../run/run-state.js';
import { openSession, STANDARD } from '../session/engine.js';
import { explain } from '../session/explain.js';
import { Statistics } from '../ui/statistics.js';
import type { LoadedModel } from './loaded.js';
import { withOutputs } from './splice.js';
import type { Node } from './types.js';

export function NodeStatistics({ loaded, node }: { readonly loaded: LoadedModel; readonly node: Node }) {
  const [values, setValues] = useState<Readonly<Record<string, Value>>>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    try {
      setValues(await valuesOf(loaded, node));
    } catch (error) {
      const { title, details } = explain(error, loaded.name);
      setProblem(`${title}. ${details ?? ''}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="node-values">
      <h4>Values</h4>
      {values ? (
        Object.entries(values).map(([name, value]) => <Statistics key={name} name={name} value={value} />)
      ) : (
        <button type="button" class="quiet" disabled={busy} onClick={() => void look()}>
          {busy ? 'Running …' : 'Run and look at its outputs'}
        </button>
      )}
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

async function valuesOf(loaded: LoadedModel, node: Node): Promise<Readonly<Record<string, Value>>> {
  const names = node.outputs.filter((name) => name !== '');
  const own = new Set(loaded.parsed.graph.outputs.map(({ name }) => name));
  const file = withOutputs(
    loaded,
    names.filter((name) => !own.has(name)),
  );
  const session = await openSession(loaded, STANDARD, { file });
  try {
    return await session.run(await makeFeeds(loaded), names);
  } finally {
    await session.release();
  }
}
