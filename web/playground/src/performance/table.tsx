// All setups with their times, one of which is looked at in detail.
import type { Explanation } from '../session/explain.js';
import { sizeText, timeText } from '../ui/format.js';
import type { Benchmark } from './benchmark.js';
import { quantile } from './benchmark.js';
import type { PeerResult } from './peer.js';
import type { Offer } from './setups.js';

export interface Row {
  readonly offer: Offer;
  readonly result?: Benchmark;
  readonly problem?: Explanation;
}

export interface PeerRow {
  readonly label: string;
  readonly result?: PeerResult;
  readonly problem?: Explanation;
}

interface Properties {
  readonly rows: readonly Row[];
  readonly peers: readonly PeerRow[];
  readonly chosen: Benchmark | undefined;
  readonly onChoose: (label: string) => void;
}

export function Table({ rows, peers, chosen, onChoose }: Properties) {
  const slowest = Math.max(...[...rows, ...peers].map(({ result }) => (result ? quantile(result.times, 0.5) : 0)));
  return (
    <section class="card">
      <h2>Side by side</h2>
      <ul class="setup-rows">
        {rows.map(({ offer, result, problem }) => (
          <li key={offer.label}>
            {result ? (
              <button
                type="button"
                class="setup-row"
                aria-pressed={result === chosen}
                onClick={() => {
                  onChoose(offer.label);
                }}
              >
                <Times label={offer.label} times={result.times} slowest={slowest}>
                  loads in {timeText(result.load * 1000)}, {sizeText(result.peak)} at most
                  {fellBack(result) && '; it fell back to the CPU'}
                </Times>
              </button>
            ) : (
              <Problem label={offer.label} problem={problem} />
            )}
          </li>
        ))}
        {peers.map(({ label, result, problem }) => (
          <li key={label}>
            {result ? (
              <div class="setup-row peer">
                <Times label={`${label} (${result.version})`} times={result.times} slowest={slowest}>
                  loads in {timeText(result.load * 1000)}; {differenceText(result)}
                </Times>
              </div>
            ) : (
              <Problem label={label} problem={problem} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TimesProperties {
  readonly label: string;
  readonly times: readonly number[];
  readonly slowest: number;
  readonly children: preact.ComponentChildren;
}

function Times({ label, times, slowest, children }: TimesProperties) {
  const median = quantile(times, 0.5);
  return (
    <>
      <span class="setup-name">{label}</span>
      <strong>{timeText(median * 1000)}</strong>
      <span class="setup-note">
        9 of 10 within {timeText(quantile(times, 0.9) * 1000)}, {children}
      </span>
      <span class="setup-bar" style={{ width: `${(100 * median) / slowest}%` }} aria-hidden="true" />
    </>
  );
}

function Problem({ label, problem }: { readonly label: string; readonly problem: Explanation | undefined }) {
  return (
    <p class="problem">
      {label}: {problem?.title}. {problem?.details}
    </p>
  );
}

/** WebGPU was asked for, and another engine answered. */
function fellBack({ setup, flavour }: Benchmark): boolean {
  return setup.webgpu === true && !flavour.includes('webgpu');
}

function differenceText({ differences }: PeerResult): string {
  const known = differences.flatMap(({ difference }) => difference ?? []);
  if (known.length === 0) return 'its outputs cannot be compared with those of onnxlet';
  const most = Math.max(...known.map(({ relative }) => relative));
  const words =
    most === 0 ? 'its outputs are those of onnxlet' : `its outputs are ${percent(most)} apart from onnxlet's`;
  const others = differences.length - known.length;
  return others === 0 ? words : `${words}; ${others} cannot be compared`;
}

function percent(part: number): string {
  return `${(100 * part).toPrecision(2)} %`;
}
