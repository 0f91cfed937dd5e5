// Makes the open model smaller: weights of fewer bits, and a report of what that did.
import { Notice } from '../ui/notice.js';
import { model } from '../state.js';
import { BLOCKS } from './options.js';
import { cancelled, cancelPacking, options, resultFor, startPacking, workFor } from './packing.js';
import { Report } from './report.js';

export function PackView() {
  const loaded = model.value;
  if (!loaded) return null;
  const result = resultFor(loaded);
  const work = workFor(loaded);
  return (
    <div class="pack-view" aria-busy={work !== undefined}>
      <h1 class="unseen">Pack</h1>
      <form
        class="card pack-options"
        onSubmit={(event) => {
          event.preventDefault();
          void startPacking(loaded);
        }}
      >
        <h2>Make {loaded.name} smaller</h2>
        <p>
          Weights are stored with fewer bits, and stay packed while the model runs. Everything else is left as it is,
          and so is your file.
        </p>
        <Fields />
        <div class="pack-start">
          <button type="submit" class="main" disabled={work !== undefined}>
            {work ? 'Packing …' : 'Pack'}
          </button>
          {work && (
            <>
              <progress max={1} value={work.part} aria-label="Packed so far" />
              <span class="hint pack-now">{work.words}</span>
              {work.cancellable && (
                <button type="button" class="quiet" onClick={cancelPacking}>
                  Cancel
                </button>
              )}
            </>
          )}
        </div>
      </form>
      {result?.problem && <Notice explanation={result.problem} />}
      {result ? (
        <Report result={result} />
      ) : (
        <div class="empty">
          <p>{cancelled.value ? 'Cancelled. Nothing was changed and nothing is kept.' : 'The report appears here.'}</p>
          <p class="hint">
            Sizes, every layer with its signal-to-noise ratio, how far the outputs move, and the time before and after.
          </p>
        </div>
      )}
    </div>
  );
}

const BITS = [8, 4] as const;

function Fields() {
  const chosen = options.value;
  const choose = (change: Partial<typeof chosen>) => {
    options.value = { ...chosen, ...change };
  };
  return (
    <div class="pack-fields">
      <div class="segments" role="radiogroup" aria-label="Bits of a weight">
        {BITS.map((bits) => (
          <label key={bits} class={bits === chosen.bits ? 'on' : ''}>
            <input type="radio" name="bits" checked={bits === chosen.bits} onChange={() => choose({ bits })} />
            {bits} bits
          </label>
        ))}
      </div>
      <label class="inline">
        Weights that share a scale
        <select
          value={chosen.block}
          onChange={({ currentTarget }) => {
            const block = BLOCKS.find((size) => size === Number(currentTarget.value));
            if (block) choose({ block });
          }}
        >
          {BLOCKS.map((block) => (
            <option key={block} value={block}>
              {block}
            </option>
          ))}
        </select>
      </label>
      <Check label="Zero points" on={!chosen.symmetric} onChange={(on) => choose({ symmetric: !on })} />
      <Check
        label="Products may round their input to 8 bits (faster)"
        on={chosen.roundsInputs}
        onChange={(roundsInputs) => choose({ roundsInputs })}
      />
      <Check
        label="Convolutions too, with 8 bits and a scale per channel"
        on={chosen.convolutions}
        onChange={(convolutions) => choose({ convolutions })}
      />
    </div>
  );
}

interface CheckProperties {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}

function Check({ label, on, onChange }: CheckProperties) {
  return (
    <label class="pack-check">
      <input type="checkbox" checked={on} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}
