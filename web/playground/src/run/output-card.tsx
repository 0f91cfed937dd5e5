// One output, as it deserves.
import { useMemo, useState } from 'preact/hooks';
import { isTensor } from '../../../../edge/js/shared/elements.js';
import { jsonOf } from '../../../../edge/js/shared/json.js';
import type { Value as JsonValue } from '../../../../edge/js/shared/json.js';
import { writeNpy } from '../../../../edge/js/shared/npy.js';
import type { LoadedModel } from '../model/loaded.js';
import type { ValueInfo } from '../model/types.js';
import { saveFile } from '../ui/save.js';
import { shapeText } from '../ui/format.js';
import { Statistics } from '../ui/statistics.js';
import { OutputBoxes } from './boxes/output-boxes.js';
import type { Framed } from './framed.js';
import { framedIn } from './framed.js';
import { Labels } from './labels.js';
import { OutputLines } from './lines/output-lines.js';
import { reader } from './lines/reader.js';
import { OutputPicture } from './output-picture.js';
import { Curve, Numbers, NumberTable } from './output-numbers.js';
import type { Viewer } from './outputs.js';
import { textOf, viewersOf } from './outputs.js';
import type { Result, Value } from './run-state.js';
import { OutputSpeech } from './sound/output-speech.js';
import { OutputSimilarity } from './text/output-similarity.js';

const WORDS: Readonly<Record<Viewer, string>> = {
  speech: 'Over time',
  similarity: 'Similarity',
  boxes: 'Boxes',
  lines: 'Lines of text',
  labels: 'Labels',
  picture: 'Picture',
  curve: 'Curve',
  table: 'Table',
  text: 'Text',
  numbers: 'Numbers',
};

interface Properties {
  readonly loaded: LoadedModel;
  readonly output: ValueInfo;
  readonly result: Result;
}

export function OutputCard({ loaded, output, result }: Properties) {
  const value = result.outputs[output.name] ?? null;
  const framed = useMemo(() => framedIn(loaded, result), [loaded, result]);
  const viewers = useMemo(() => viewersOf(output.name, result, framed !== undefined), [output, result, framed]);
  const [wanted, setWanted] = useState<Viewer>();
  // Who brought a model that reads wants to see what it has read.
  const usual = reader.value && viewers.includes('lines') ? 'lines' : (viewers[0] ?? 'numbers');
  const viewer = wanted && viewers.includes(wanted) ? wanted : usual;
  return (
    <section class="card output-card" aria-label={`Output ${output.name}`}>
      <div class="card-head">
        <h2>
          <span class="value-name">{output.name}</span>
          {isTensor(value) && (
            <span class="value-type">
              <b>{value.type}</b> {shapeText(value.dims)}
            </span>
          )}
        </h2>
        <Saving name={output.name} value={value} />
      </div>
      {viewers.length > 1 && (
        <div class="segments" role="radiogroup" aria-label={`How ${output.name} is shown`}>
          {viewers.map((each) => (
            <label key={each} class={each === viewer ? 'on' : ''}>
              <input
                type="radio"
                name={`viewer ${output.name}`}
                checked={each === viewer}
                onChange={() => {
                  setWanted(each);
                }}
              />
              {WORDS[each]}
            </label>
          ))}
        </div>
      )}
      <Shown loaded={loaded} viewer={viewer} result={result} framed={framed} name={output.name} />
    </section>
  );
}

interface ShownProperties {
  readonly loaded: LoadedModel;
  readonly viewer: Viewer;
  readonly result: Result;
  readonly framed: Framed | undefined;
  readonly name: string;
}

function Shown({ loaded, viewer, result, framed, name }: ShownProperties) {
  const { outputs, heard, read } = result;
  const value = outputs[name] ?? null;
  if (!isTensor(value) || viewer === 'text') {
    return (
      <pre class="text-output" tabIndex={0}>
        {textOf(value)}
      </pre>
    );
  }
  switch (viewer) {
    case 'speech':
      return heard ? <OutputSpeech tensor={value} heard={heard} /> : null;
    case 'similarity':
      return read ? <OutputSimilarity tensor={value} read={read} /> : null;
    case 'boxes':
      return framed ? <OutputBoxes name={name} tensor={value} outputs={outputs} framed={framed} /> : null;
    case 'lines':
      return framed ? <OutputLines tensor={value} framed={framed} /> : null;
    case 'labels':
      return <Labels loaded={loaded} tensor={value} />;
    case 'picture':
      return <OutputPicture tensor={value} />;
    case 'curve':
      return <Curve tensor={value} />;
    case 'table':
      return <NumberTable tensor={value} />;
    case 'numbers':
      return (
        <>
          <Statistics name={name} value={value} />
          <Numbers tensor={value} />
        </>
      );
  }
}

function Saving({ name, value }: { readonly name: string; readonly value: Value }) {
  const base = name.replaceAll(/[^\w.-]+/g, '_');
  return (
    <div class="saving">
      {isTensor(value) && value.type !== 'bfloat16' && (
        <button
          type="button"
          class="quiet"
          aria-label={`Save ${name} as .npy`}
          onClick={() => {
            saveFile(`${base}.npy`, [writeNpy(value, name) as Uint8Array<ArrayBuffer>]);
          }}
        >
          .npy
        </button>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`Save ${name} as JSON`}
        onClick={() => {
          saveFile(`${base}.json`, [jsonOf(value as JsonValue)], 'application/json');
        }}
      >
        JSON
      </button>
    </div>
  );
}
