// How one input is given.
import { Problem } from '../../../../edge/js/shared/interface.js';
import type { ValueInfo } from '../model/types.js';
import { fail } from '../state.js';
import { FilePicker } from '../ui/file-picker.js';
import { shapeText, typeText } from '../ui/format.js';
import { CameraButton } from './camera.js';
import { ChosenPicture } from './chosen-picture.js';
import { Drawing } from './drawing.js';
import type { Choice } from './inputs.js';
import type { Source } from './kinds.js';
import { isTable, sourcesOf } from './kinds.js';
import { PicturePreview } from './picture-preview.js';
import type { PictureOptions } from './picture.js';
import { FITS, RANGES } from './picture.js';
import type { Role, Roles } from './roles.js';
import { choices, choose } from './run-state.js';
import { SoundBody } from './sound/sound-body.js';
import { TextBody } from './text/text-body.js';

const WORDS: Readonly<Record<Source, string>> = {
  random: 'Random',
  zeros: 'Zeros',
  picture: 'Picture',
  drawing: 'Draw',
  sound: 'Sound',
  text: 'Text',
  values: 'Values',
  file: 'File',
};

interface Properties {
  readonly value: ValueInfo;
  readonly choice: Choice;
  readonly roles: Roles;
}

export function InputCard({ value, choice, roles }: Properties) {
  const role = roles.get(value.name);
  const along = filledAlong(role);
  return (
    <fieldset class="card input-card">
      <legend>
        <span class="value-name">{value.name}</span>
        <span class="value-type">
          <b>{typeText(value.type)}</b> {value.type.startsWith('tensor') && shapeText(value.shape)}
        </span>
      </legend>
      {along === undefined ? (
        <Given value={value} choice={choice} roles={roles} />
      ) : (
        <p class="hint">Filled along with {along}.</p>
      )}
      {role?.kind === 'state' && (
        <p class="hint">Over a sound, each step gets what {role.output} was in the one before.</p>
      )}
    </fieldset>
  );
}

/** The input whose text says what this one is. */
function filledAlong(role: Role | undefined): string | undefined {
  const ids = role?.kind === 'mask' || role?.kind === 'types' ? role.ids : undefined;
  return ids !== undefined && choices.value[ids]?.source === 'text' ? ids : undefined;
}

function Given({ value, choice, roles }: Properties) {
  return (
    <>
      <div class="segments" role="radiogroup" aria-label={`How ${value.name} is given`}>
        {sourcesOf(value, roles.get(value.name)).map((source) => (
          <label key={source} class={source === choice.source ? 'on' : ''}>
            <input
              type="radio"
              name={`source ${value.name}`}
              checked={source === choice.source}
              onChange={() => {
                choose(value.name, { source });
              }}
            />
            {source === 'values' && isTable(value) && !roles.has(value.name) ? 'Table' : WORDS[source]}
          </label>
        ))}
      </div>
      <Body value={value} choice={choice} roles={roles} />
    </>
  );
}

function Body({ value, choice, roles }: Properties) {
  switch (choice.source) {
    case 'random':
      return (
        <div class="row">
          <label class="inline">
            Seed
            <input
              type="number"
              value={choice.seed}
              onChange={({ currentTarget }) => {
                choose(value.name, { seed: Number(currentTarget.value) });
              }}
            />
          </label>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              choose(value.name, { seed: choice.seed + 1 });
            }}
          >
            Others
          </button>
        </div>
      );
    case 'zeros':
      return null;
    case 'picture':
      return <PictureBody value={value} choice={choice} roles={roles} />;
    case 'sound':
      return <SoundBody value={value} choice={choice} roles={roles} />;
    case 'text':
      return <TextBody value={value} choice={choice} />;
    case 'drawing':
      return <Drawing value={value} />;
    case 'values':
      return <ValuesBody value={value} choice={choice} roles={roles} />;
    case 'file':
      return (
        <FilePicker
          label={choice.file?.name ?? 'Choose a file'}
          hint=".npy, .json or .csv"
          accept=".npy,.json,.csv"
          onFiles={([file]) => {
            if (file) choose(value.name, { file });
          }}
        />
      );
  }
}

function PictureBody({ value, choice, roles }: Properties) {
  const { pictureOptions: options } = choice;
  const decodes = roles.get(value.name)?.kind === 'picture file';
  const take = (file: Blob) => {
    createImageBitmap(file).then(
      (picture) => {
        choose(value.name, { picture, pictureFile: file });
      },
      () => {
        fail(new Problem('The browser cannot read this file as a picture. PNG, JPEG and WebP work everywhere.'));
      },
    );
  };
  return (
    <>
      <FilePicker
        label={choice.picture ? 'Another picture' : 'Choose a picture'}
        hint="or drop it here"
        accept="image/*"
        onFiles={([file]) => {
          if (file) take(file);
        }}
      />
      <CameraButton
        onPicture={(picture) => {
          choose(value.name, { picture, pictureFile: undefined });
        }}
      />
      {choice.picture && decodes && <ChosenPicture picture={choice.picture} />}
      {choice.picture && !decodes && <PicturePreview value={value} picture={choice.picture} options={options} />}
      {!decodes && <PictureFields value={value} options={options} />}
    </>
  );
}

interface FieldProperties {
  readonly value: ValueInfo;
  readonly options: PictureOptions;
}

/** How the picture becomes the model's numbers. */
function PictureFields({ value, options }: FieldProperties) {
  const change = (changed: Partial<PictureOptions>) => {
    choose(value.name, { pictureOptions: { ...options, ...changed } });
  };
  return (
    <div class="row">
      <label class="inline">
        Numbers
        <select
          value={options.range}
          onChange={({ currentTarget }) => {
            change({ range: currentTarget.value as keyof typeof RANGES });
          }}
        >
          {Object.keys(RANGES).map((range) => (
            <option key={range}>{range}</option>
          ))}
        </select>
      </label>
      <label class="inline">
        Fit
        <select
          value={options.fit}
          onChange={({ currentTarget }) => {
            change({ fit: currentTarget.value as (typeof FITS)[number] });
          }}
        >
          {FITS.map((fit) => (
            <option key={fit}>{fit}</option>
          ))}
        </select>
      </label>
      <label class="inline">
        <input
          type="checkbox"
          checked={options.bgr}
          onChange={({ currentTarget }) => {
            change({ bgr: currentTarget.checked });
          }}
        />
        Blue first
      </label>
      <label class="inline">
        <input
          type="checkbox"
          checked={options.invert}
          onChange={({ currentTarget }) => {
            change({ invert: currentTarget.checked });
          }}
        />
        Inverted
      </label>
    </div>
  );
}

function ValuesBody({ value, choice }: Properties) {
  const hint = isTable(value)
    ? 'Rows of comma-separated values, or lists in JSON'
    : value.type === 'tensor(string)'
      ? 'A text, or a list of texts in JSON'
      : 'Numbers, or lists in JSON';
  return (
    <>
      <textarea
        rows={3}
        spellcheck={false}
        aria-label={`Values of ${value.name}`}
        placeholder={hint}
        value={choice.text}
        onInput={({ currentTarget }) => {
          choose(value.name, { text: currentTarget.value });
        }}
      />
      {isTable(value) && (
        <FilePicker
          label="Take a table from a file"
          accept=".csv,.txt,.json"
          onFiles={([file]) => {
            void file?.text().then((text) => {
              choose(value.name, { text });
            });
          }}
        />
      )}
    </>
  );
}
