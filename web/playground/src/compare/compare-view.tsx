// The open model beside another one, or beside itself on the GPU.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { LoadedModel } from '../model/loaded.js';
import { makeFeeds } from '../run/run-state.js';
import { STANDARD } from '../session/engine.js';
import { announcement, fail, model, notice, readFiles, show } from '../state.js';
import { FilePicker } from '../ui/file-picker.js';
import { sizeText, timeText } from '../ui/format.js';
import { short } from '../ui/statistics.js';
import type { Comparison, Layer, Side } from './compare.js';
import { compare } from './compare.js';
import type { Difference } from './metrics.js';

/** What another view wants to see beside the open model. */
const asked = signal<LoadedModel | undefined>(undefined);

export function compareWith(other: LoadedModel): void {
  asked.value = other;
  show('compare');
}

export function CompareView() {
  const loaded = model.value;
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Comparison>();
  const against = async (find: () => Promise<Side> | Side, name: string) => {
    if (!loaded) return;
    setBusy(true);
    notice.value = undefined;
    try {
      const other = await find();
      setResult(await compare({ model: loaded, setup: STANDARD }, other, await makeFeeds(loaded)));
      announcement.value = 'Compared';
    } catch (error) {
      fail(error, name);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    const other = asked.value;
    asked.value = undefined;
    if (other) void against(() => ({ model: other, setup: STANDARD }), other.name);
  }, []);
  if (!loaded) return null;
  return (
    <div class="compare-view" aria-busy={busy}>
      <h1 class="unseen">Compare</h1>
      <div class="card compare-choice">
        <h2>Compare {loaded.name} with</h2>
        <FilePicker
          label={busy ? 'Comparing …' : 'Another model'}
          hint="a packed or quantized one, or another export; both run on the inputs of the Run view"
          accept=".onnx,.data,.bin,.onnx_data"
          multiple
          onFiles={(files) =>
            void against(async () => ({ model: await readFiles(files), setup: STANDARD }), files[0]?.name ?? '')
          }
        />
        {'gpu' in navigator && (
          <button
            type="button"
            class="quiet"
            disabled={busy}
            onClick={() =>
              void against(
                () => ({ model: loaded, setup: { ...STANDARD, label: 'WebGPU', webgpu: true } }),
                loaded.name,
              )
            }
          >
            Itself on WebGPU
          </button>
        )}
      </div>
      {result && (
        <>
          <Sides result={result} />
          <Outputs result={result} />
          {result.layers.length > 0 && <Layers layers={result.layers} />}
        </>
      )}
    </div>
  );
}

function titleOf({ model: { name }, setup }: Side): string {
  return setup.webgpu ? `${name}, WebGPU` : name;
}

function bytesOf({ file, companions }: LoadedModel): number {
  return [...companions.values()].reduce((sum, { size }) => sum + size, file.size);
}

function Sides({ result: { one, other } }: { readonly result: Comparison }) {
  const rows: [string, (side: typeof one) => number, (value: number) => string][] = [
    ['size', ({ side }) => bytesOf(side.model), sizeText],
    ['time', ({ time }) => time * 1000, timeText],
    ['memory at most', ({ peak }) => peak, sizeText],
    ['nodes', ({ side }) => side.model.parsed.graph.nodes.length, String],
  ];
  return (
    <section class="card">
      <h2>Side by side</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Side by side">
        <table class="sides">
          <thead>
            <tr>
              <td />
              <th scope="col">{titleOf(one.side)}</th>
              <th scope="col">{titleOf(other.side)}</th>
              <th scope="col">second by first</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, of, text]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{text(of(one))}</td>
                <td>{text(of(other))}</td>
                <td>{(of(other) / of(one)).toFixed(2)} ×</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Outputs({ result: { outputs } }: { readonly result: Pick<Comparison, 'outputs'> }) {
  return (
    <section class="card">
      <h2>Outputs</h2>
      {outputs.length === 0 && <p>They have no outputs of the same name.</p>}
      {outputs.map(({ name, difference }) => (
        <div key={name} class="compared">
          <p class="value-name">{name}</p>
          {difference ? <Words difference={difference} /> : <p>cannot be compared: other shapes, or no numbers</p>}
        </div>
      ))}
    </section>
  );
}

function Words({ difference: { most, mean, relative, cosine, sameTop } }: { readonly difference: Difference }) {
  if (most === 0) return <p>Every bit is the same.</p>;
  return (
    <p>
      <strong>{(100 * relative).toPrecision(2)} %</strong> apart; {short(most)} at most, {short(mean)} on average;
      cosine {cosine.toFixed(5)}; the highest is {sameTop ? 'in the same place' : 'elsewhere'}
    </p>
  );
}

const WORST = 5;

function Layers({ layers }: { readonly layers: readonly Layer[] }) {
  const most = Math.max(...layers.map(({ difference }) => finite(difference.relative)), 1e-12);
  const worst = [...layers]
    .sort((a, b) => finite(b.difference.relative) - finite(a.difference.relative))
    .slice(0, WORST);
  return (
    <section class="card">
      <h2>Layer by layer</h2>
      <svg
        class="layer-bars"
        viewBox={`0 0 ${layers.length * 10} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`How far ${layers.length} values between the nodes are apart, from input to output`}
      >
        {layers.map(({ name, difference }, at) => {
          const height = Math.max(0.8, (98 * finite(difference.relative)) / most);
          return (
            <rect key={name} x={at * 10 + 1} width={8} y={100 - height} height={height}>
              <title>{`${name}: ${(100 * difference.relative).toPrecision(2)} %`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="hint">From input to output; the farthest apart:</p>
      <ul class="values">
        {worst.map(({ name, difference }) => (
          <li key={name}>
            <span class="value-name">{name}</span>
            <span class="value-type">{(100 * difference.relative).toPrecision(2)} %</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is infinitely far apart is drawn as all of it. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 1;
}
