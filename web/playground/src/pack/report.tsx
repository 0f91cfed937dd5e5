// What packing did: sizes and times, outputs, every layer, and why the other nodes stayed.
import { compareWith, Outputs } from '../compare/compare-view.js';
import { Figures } from '../ui/figures.js';
import { countText, plural, shapeText, sizeText, timeText } from '../ui/format.js';
import { saveFile } from '../ui/save.js';
import type { LayerRow, SkippedRow } from './pack.js';
import type { PackResult } from './packing.js';

export function Report({ result }: { readonly result: PackResult }) {
  const { model, report, runs } = result;
  const slower = runs && runs.other.time > 1.05 * runs.one.time;
  return (
    <>
      <section class="card pack-report">
        <div class="card-head">
          <h2>{model.name}</h2>
          <div class="pack-actions">
            <button type="button" class="main" onClick={() => saveFile(model.name, [model.file])}>
              Save
            </button>
            <button type="button" class="quiet" onClick={() => compareWith(model)}>
              Compare layer by layer
            </button>
            <button type="button" class="quiet" onClick={() => saveReport(result)}>
              Report as JSON
            </button>
          </div>
        </div>
        <Sizes result={result} />
        {slower && (
          <p class="problem">
            It is slower here than the original: on small models unpacking costs more than it saves. What is smaller is
            the download and the memory.
          </p>
        )}
        <p class="hint">
          On a command line, where there are better methods that take data:{' '}
          <code>
            onnxlet pack {model.name.replace(/\.int\d\.onnx$/, '.onnx')} -o {model.name} --scheme {report.scheme}
          </code>
        </p>
      </section>
      {runs && <Outputs result={runs} />}
      <Layers layers={report.layers} />
      <Skipped rows={report.skipped} />
    </>
  );
}

function Sizes({ result: { report, runs, time } }: { readonly result: PackResult }) {
  const { bytesBefore, bytesAfter } = report;
  const facts: [string, string][] = [
    ['before', sizeText(bytesBefore)],
    ['after', sizeText(bytesAfter)],
    ['of the size', `${((100 * bytesAfter) / bytesBefore).toFixed(0)} %`],
    ['run before', runs ? timeText(runs.one.time * 1000) : '–'],
    ['run after', runs ? timeText(runs.other.time * 1000) : '–'],
    ['packed in', timeText(time * 1000)],
  ];
  return <Figures small facts={facts} />;
}

function saveReport({ model, report, runs }: PackResult): void {
  const measured = runs && {
    msBefore: runs.one.time,
    msAfter: runs.other.time,
    outputs: Object.fromEntries(runs.outputs.map(({ name, difference }) => [name, difference ?? null])),
  };
  const text = `${JSON.stringify({ ...report, ...measured }, null, 2)}\n`;
  saveFile(model.name.replace(/\.onnx$/, '.json'), [text], 'application/json');
}

function Layers({ layers }: { readonly layers: readonly LayerRow[] }) {
  return (
    <section class="card">
      <h2>{plural(layers.length, 'layer')} packed</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Packed layers">
        <table>
          <thead>
            <tr>
              <th scope="col">layer</th>
              <th scope="col">operator</th>
              <th scope="col">shape</th>
              <th scope="col">before</th>
              <th scope="col">after</th>
              <th scope="col">signal to noise</th>
            </tr>
          </thead>
          <tbody>
            {layers.map((row) => (
              <tr key={row.weight}>
                <th scope="row">
                  {row.layer}
                  {row.reason && <span class="pack-reason">8 bits per channel: {row.reason}</span>}
                </th>
                <td>{row.operators.join(', ')}</td>
                <td>{shapeText(row.shape)}</td>
                <td>{sizeText(row.bytesBefore)}</td>
                <td>{sizeText(row.bytesAfter)}</td>
                <td>{row.signalToNoise === null ? 'unchanged' : `${row.signalToNoise.toFixed(1)} dB`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const MOST_NAMES = 6;

function Skipped({ rows }: { readonly rows: readonly SkippedRow[] }) {
  if (rows.length === 0) return null;
  const groups = [...Map.groupBy(rows, ({ reason }) => reason)].sort(([, a], [, b]) => a.length - b.length);
  const weighty = groups.filter(([reason]) => !reason.endsWith('has no weights'));
  const without = rows.length - weighty.reduce((sum, [, own]) => sum + own.length, 0);
  return (
    <section class="card">
      <h2>{plural(rows.length, 'node')} left as they are</h2>
      <ul class="values pack-skipped">
        {weighty.map(([reason, own]) => (
          <li key={reason}>
            <span class="value-name">{namesOf(own)}</span>
            <span>{reason}</span>
          </li>
        ))}
        {without > 0 && (
          <li>
            <span>{countText(without)} have no weights.</span>
          </li>
        )}
      </ul>
    </section>
  );
}

function namesOf(rows: readonly SkippedRow[]): string {
  const names = rows.slice(0, MOST_NAMES).map(({ node, operator }) => node || operator);
  return names.join(', ') + (rows.length > MOST_NAMES ? ` and ${countText(rows.length - MOST_NAMES)} more` : '');
}
