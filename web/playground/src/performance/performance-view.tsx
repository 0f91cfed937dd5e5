// One model in several setups, side by side, and one of them in detail.
import { useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { LoadedModel } from '../model/loaded.js';
import { supplied } from '../onnxruntime/package.js';
import { makeFeeds } from '../run/run-state.js';
import { explain } from '../session/explain.js';
import type { Explanation } from '../session/explain.js';
import { announcement, fail, model } from '../state.js';
import { plural, sizeText, timeText } from '../ui/format.js';
import type { Benchmark } from './benchmark.js';
import { benchmark, quantile } from './benchmark.js';
import { Flame } from './flame.js';
import { Histogram, Lines } from './charts.js';
import { OperatorTimes } from './operator-times.js';
import { PeerChoice } from './peer-choice.js';
import { benchmarkPeer, peerThreads } from './peer.js';
import type { Offer } from './setups.js';
import { offers, usual } from './setups.js';
import type { PeerRow, Row } from './table.js';
import { Table } from './table.js';

interface Measurements {
  readonly model: LoadedModel | undefined;
  readonly rows: readonly Row[];
  readonly peers: readonly PeerRow[];
}

const NOTHING: Measurements = { model: undefined, rows: [], peers: [] };
/** Of the model that is open; kept while other views are looked at. */
const measurements = signal(NOTHING);

export function PerformanceView() {
  const loaded = model.value;
  const [all] = useState(offers);
  const [wanted, setWanted] = useState(() => new Set(all.filter(usual).map(({ label }) => label)));
  const [runs, setRuns] = useState(20);
  const [busy, setBusy] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  if (!loaded) return null;
  const { rows, peers } = measurements.value.model?.file === loaded.file ? measurements.value : NOTHING;
  const measure = async () => {
    measurements.value = { ...NOTHING, model: loaded };
    const add = (change: Partial<Measurements>) => {
      measurements.value = { ...measurements.value, ...change };
    };
    try {
      const feeds = await makeFeeds(loaded);
      for (const offer of all.filter(({ label }) => wanted.has(label))) {
        setBusy(offer.label);
        const row = await attempt(() => benchmark(loaded, offer, feeds, runs), loaded.name);
        add({ rows: [...measurements.value.rows, { offer, ...row }] });
      }
      const peer = supplied.value;
      for (const threads of peerThreads()) {
        if (!peer) break;
        const label = `onnxruntime-web, ${plural(threads, 'thread')}`;
        setBusy(label);
        const row = await attempt(() => benchmarkPeer(peer, loaded, threads, feeds, runs), loaded.name);
        add({ peers: [...measurements.value.peers, { label, ...row }] });
      }
      announcement.value = 'Measured';
    } catch (error) {
      fail(error, loaded.name);
    } finally {
      setBusy(undefined);
    }
  };
  const results = rows.flatMap(({ result }) => result ?? []);
  const detail = results.find(({ setup }) => setup.label === chosen) ?? fastest(results);
  return (
    <div class="performance-view">
      <h1 class="unseen">Performance</h1>
      <form
        class="card setups"
        onSubmit={(event) => {
          event.preventDefault();
          void measure();
        }}
      >
        <Choices all={all} wanted={wanted} onChange={setWanted} />
        <label class="inline">
          Runs
          <input
            type="number"
            min={1}
            max={1000}
            value={runs}
            onChange={({ currentTarget }) => setRuns(Math.max(1, Number(currentTarget.value)))}
          />
        </label>
        <button type="submit" class="main" disabled={busy !== undefined || (loaded.missing?.length ?? 0) > 0}>
          {busy === undefined ? 'Measure' : `Measuring ${busy} …`}
        </button>
        <PeerChoice />
      </form>
      {rows.length + peers.length > 0 ? (
        <Table rows={rows} peers={peers} chosen={detail} onChoose={setChosen} />
      ) : (
        <div class="empty">
          <p>Times appear here, one setup after the other.</p>
          <p class="hint">Inputs are those of the Run view.</p>
        </div>
      )}
      {detail && <Detail result={detail} />}
    </div>
  );
}

/** A result, or why there is none. */
async function attempt<T>(work: () => Promise<T>, name: string): Promise<{ result: T } | { problem: Explanation }> {
  try {
    return { result: await work() };
  } catch (error) {
    return { problem: explain(error, name) };
  }
}

function fastest(results: readonly Benchmark[]): Benchmark | undefined {
  return [...results].sort((a, b) => quantile(a.times, 0.5) - quantile(b.times, 0.5))[0];
}

interface ChoicesProperties {
  readonly all: readonly Offer[];
  readonly wanted: ReadonlySet<string>;
  readonly onChange: (wanted: Set<string>) => void;
}

function Choices({ all, wanted, onChange }: ChoicesProperties) {
  return (
    <fieldset class="choices">
      <legend class="unseen">Setups</legend>
      {all.map(({ label, refusal }) => (
        <label key={label} class="inline" title={refusal}>
          <input
            type="checkbox"
            disabled={refusal !== undefined}
            checked={wanted.has(label)}
            onChange={({ currentTarget }) => {
              const changed = new Set(wanted);
              if (currentTarget.checked) changed.add(label);
              else changed.delete(label);
              onChange(changed);
            }}
          />
          {label}
          {refusal !== undefined && <span class="hint">{refusal}</span>}
        </label>
      ))}
    </fieldset>
  );
}

function Detail({ result }: { readonly result: Benchmark }) {
  const { setup, times, memory, profile, first, engineBytes, flavour } = result;
  return (
    <>
      <section class="card">
        <h2>{setup.label}: where the time goes</h2>
        <Flame profile={profile} />
        <OperatorTimes profile={profile} />
      </section>
      <div class="pair">
        <section class="card">
          <h2>How long runs take</h2>
          <Histogram values={times} label="Milliseconds of each run" />
          <p class="hint">
            {times.length} runs after warming up; the first took {timeText(first * 1000)}.
          </p>
        </section>
        <section class="card">
          <h2>Memory after each run</h2>
          <Lines values={memory} label="Bytes that the session holds after each run" format={sizeText} />
          <p class="hint">
            The engine ({flavour}) has {sizeText(engineBytes)} in all, model and code included.
          </p>
        </section>
      </div>
    </>
  );
}
