// The key of an encrypted model: typed, or in a file.
import { Problem } from '../shared/interface.js';
import { parseKey } from '../shared/key.js';
import { element } from './dom.js';
import { FileField } from './file-field.js';

export class KeyField {
  readonly #typed = element('input', { id: 'key', type: 'password', autocomplete: 'off', spellcheck: 'false' });
  readonly #file = new FileField('key-file', { label: 'or its file', what: 'the key', accept: '' });
  readonly root = element(
    'fieldset',
    {},
    element('legend', {}, 'The model is encrypted'),
    element('div', { class: 'field' }, element('label', { for: 'key', class: 'label' }, 'Key'), this.#typed),
    this.#file.root,
  );

  async read(): Promise<Uint8Array> {
    const { file } = this.#file;
    if (file) return parseKey(await file.text(), `the key in ${file.name}`);
    if (this.#typed.value === '') throw new Problem('the model is encrypted: give its key first');
    return parseKey(this.#typed.value, 'the key');
  }
}
