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
import { Labels } from './labels.js';
import { OutputPicture } from './output-picture.js';
import { Curve, Numbers, NumberTable } from './output-numbers.js';
import type { Viewer } from './outputs.js';
import { textOf, viewersOf } from './outputs.js';
import type { Value } from './run-state.js';

const WORDS: Readonly<Record<Viewer, string>> = {
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
  readonly value: Value;
}

export function OutputCard({ loaded, output, value }: Properties) {
  const viewers = useMemo(() => viewersOf(value), [value]);
  const [wanted, setWanted] = useState<Viewer>();
  const viewer = wanted && viewers.includes(wanted) ? wanted : (viewers[0] ?? 'numbers');
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
      <Shown loaded={loaded} viewer={viewer} value={value} name={output.name} />
    </section>
  );
}

interface ShownProperties {
  readonly loaded: LoadedModel;
  readonly viewer: Viewer;
  readonly value: Value;
  readonly name: string;
}

function Shown({ loaded, viewer, value, name }: ShownProperties) {
  if (!isTensor(value) || viewer === 'text') {
    return (
      <pre class="text-output" tabIndex={0}>
        {textOf(value)}
      </pre>
    );
  }
  switch (viewer) {
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
