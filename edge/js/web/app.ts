// The page of a bundle: a form made from the model's inputs, and the answer below it.
import { answersOf } from '../shared/answers.js';
import { feedsOf } from '../shared/inputs.js';
import { jsonOfOutputs } from '../shared/json.js';
import { element, found } from './dom.js';
import type { Field } from './fields.js';
import { fieldsOf } from './fields.js';
import { listenForDrops } from './file-field.js';
import { KeyField } from './key-field.js';
import { Model } from './model.js';
import { keepOffline } from './offline.js';
import type { Description } from './parts.js';
import { isInside, readDescription } from './parts.js';
import { saving, shown } from './show.js';

class Page {
  readonly #form = found('form') as HTMLFormElement;
  readonly #status = found('status');
  readonly #answer = found('answer');
  readonly #fields: readonly Field[];
  readonly #key: KeyField | undefined;
  readonly #model: Model;
  readonly #button = element('button', { type: 'submit', class: 'main' }, 'Run');

  constructor(private readonly description: Description) {
    this.#model = new Model(description);
    this.#key = description.encrypted ? new KeyField() : undefined;
    this.#fields = fieldsOf(description.interface.inputs);
    const roots = this.#fields.map(({ root }) => root);
    this.#form.replaceChildren(...(this.#key ? [this.#key.root] : []), ...roots, this.#button);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#ask();
    });
    this.#takeFiles();
  }

  /** Encrypted models are loaded once there is a key. */
  async load(): Promise<void> {
    if (this.#key) {
      this.#say('Ready when the key is there.');
      return;
    }
    this.#say('The model is loading …');
    try {
      const { threads } = await this.#model.load();
      this.#say(
        `Ready. Nothing that you enter leaves this page. (${threads === 1 ? '1 thread' : `${threads} threads`})`,
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  offerUpdate(change: () => void): void {
    const button = element('button', { type: 'button', class: 'quiet' }, 'Change over');
    button.addEventListener('click', change);
    found('update').replaceChildren('Another version of this page is there. ', button);
  }

  /** Files that are dropped or pasted anywhere go to the first field for one; a single file is all that some models need. */
  #takeFiles(): void {
    const file = this.#fields.find((field) => field.file)?.file;
    if (!file) return;
    listenForDrops(document, (dropped) => {
      file.set(dropped);
    });
    document.addEventListener('paste', (event) => {
      const pasted = event.clipboardData?.files[0];
      if (pasted) file.set(pasted);
    });
    if (this.#fields.length === 1 && !this.#key) {
      file.input.addEventListener('change', () => {
        if (file.file) void this.#ask();
      });
    }
  }

  async #ask(): Promise<void> {
    if (this.#button.disabled) return;
    this.#button.disabled = true;
    this.#answer.setAttribute('aria-busy', 'true');
    this.#say('Working …');
    try {
      const key = await this.#key?.read();
      const entered = await Promise.all(this.#fields.map((field) => field.read()));
      const table = entered.find((part) => part.table)?.table;
      const given = Object.assign({}, ...entered.map((part) => part.given)) as Parameters<typeof feedsOf>[1];
      const asked = this.description.interface;
      const feeds = feedsOf(asked, given, table);
      await this.#model.load(key);
      const start = performance.now();
      const values = await this.#model.run(feeds, key);
      const time = performance.now() - start;
      const picture = this.#fields.find((field) => field.file?.file?.type.startsWith('image/'))?.file?.address;
      const answers = answersOf(asked, values).map((answer) => shown(answer, picture));
      const save = () => jsonOfOutputs(asked, values);
      this.#answer.replaceChildren(
        ...answers,
        saving('Save all numbers as JSON', `${asked.name}.json`, 'application/json', save),
      );
      this.#say(`Done in ${time < 10 ? time.toFixed(1) : time.toFixed(0)} ms.`);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#button.disabled = false;
      this.#answer.removeAttribute('aria-busy');
    }
  }

  #say(text: string): void {
    this.#status.className = '';
    this.#status.textContent = text;
  }

  #fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#status.className = 'error';
    this.#status.textContent = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
    this.#answer.replaceChildren();
  }
}

const description = readDescription();
const page = new Page(description);
void page.load();
if (!isInside(description)) {
  keepOffline((change) => {
    page.offerUpdate(change);
  }).catch(() => undefined); // over plain http there is none
}
