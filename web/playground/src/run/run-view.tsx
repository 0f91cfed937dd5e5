// Inputs on one side, outputs on the other.
import type { LoadedModel } from '../model/loaded.js';
import { requiredInputs } from '../model/types.js';
import { model } from '../state.js';
import { sizeText, timeText } from '../ui/format.js';
import { InputCard } from './input-card.js';
import type { Choice } from './inputs.js';
import { openSizes } from './kinds.js';
import { OutputCard } from './output-card.js';
import type { Role } from './roles.js';
import { rolesOf } from './roles.js';
import { choices, result, run, running, sizes } from './run-state.js';

export function RunView() {
  const loaded = model.value;
  if (!loaded) return null;
  const inputs = requiredInputs(loaded.parsed.graph);
  const roles = rolesOf(loaded.parsed.graph);
  return (
    <div class="run-view">
      <h1 class="unseen">Run</h1>
      <form
        class="run-inputs"
        aria-label="Inputs"
        onSubmit={(event) => {
          event.preventDefault();
          void run(loaded);
        }}
      >
        <Sizes loaded={loaded} />
        {inputs.map((input) => {
          const choice = choices.value[input.name];
          return choice && <InputCard key={input.name} value={input} choice={choice} roles={roles} />;
        })}
        {inputs.length === 0 && <p class="hint">This model takes no inputs.</p>}
        <button type="submit" class="main" disabled={running.value || (loaded.missing?.length ?? 0) > 0}>
          {running.value ? 'Running …' : 'Run'}
        </button>
      </form>
      <div class="run-outputs" aria-busy={running.value}>
        <Outputs loaded={loaded} />
      </div>
    </div>
  );
}

function Sizes({ loaded }: { readonly loaded: LoadedModel }) {
  const { graph } = loaded.parsed;
  const roles = rolesOf(graph);
  const open = openSizes(
    requiredInputs(graph).filter((input) => !givesItsSize(choices.value[input.name], roles.get(input.name))),
  );
  if (open.length === 0) return null;
  return (
    <fieldset class="card">
      <legend>Open sizes</legend>
      <div class="size-fields">
        {open.map(({ key, label }) => (
          <label key={key}>
            <span>{label}</span>
            <input
              type="number"
              min={0}
              value={sizes.value[key]}
              onInput={({ currentTarget }) => {
                sizes.value = { ...sizes.value, [key]: Math.max(0, Math.round(Number(currentTarget.value))) };
              }}
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Outputs({ loaded }: { readonly loaded: LoadedModel }) {
  const made = result.value;
  if (!made) {
    return (
      <div class="empty">
        <p>The outputs appear here.</p>
        <p class="hint">Made-up numbers will do for a first look.</p>
      </div>
    );
  }
  const threads = made.threads === 1 ? 'one thread' : `${made.threads} threads`;
  return (
    <>
      <p class="run-line">
        <strong>{timeText(made.time * 1000)}</strong> {threads}, {made.flavour}, {sizeText(made.memory)} at most
      </p>
      {loaded.parsed.graph.outputs.map((output) => (
        <OutputCard key={output.name} loaded={loaded} output={output} result={made} />
      ))}
    </>
  );
}

/** Whether what is chosen has a size of its own. */
function givesItsSize(choice: Choice | undefined, role: Role | undefined): boolean {
  if (role?.kind === 'mask' || role?.kind === 'types') return choices.value[role.ids]?.source === 'text';
  return role?.kind === 'picture file' || choice?.source === 'sound' || choice?.source === 'text';
}
