// Texts as an input: words, and the file that makes numbers of them.
import type { ValueInfo } from '../../model/types.js';
import { tokenizer } from '../../state.js';
import { FilePicker } from '../../ui/file-picker.js';
import type { Choice } from '../inputs.js';
import { choose } from '../run-state.js';

export function TextBody({ value, choice }: { readonly value: ValueInfo; readonly choice: Choice }) {
  const alone = value.shape?.[0] === 1;
  return (
    <>
      <textarea
        class="prose"
        rows={alone ? 3 : 5}
        aria-label={`Text for ${value.name}`}
        placeholder={alone ? 'A text' : 'A text in each line; two or more are compared'}
        value={choice.written}
        onInput={({ currentTarget }) => {
          choose(value.name, { written: currentTarget.value });
        }}
      />
      <FilePicker
        class="small"
        label={tokenizer.value ? `Words become numbers by ${tokenizer.value.name}` : 'Choose tokenizer.json'}
        hint={
          tokenizer.value
            ? 'another one can be dropped here'
            : 'or drop it here: it lies beside the model, and makes numbers of words'
        }
        accept=".json"
        onFiles={([file]) => {
          if (file) tokenizer.value = file;
        }}
      />
    </>
  );
}
