// A field for a file: dropped, chosen or pasted.
import { element } from './dom.js';

export interface FileWords {
  /** What the field is for. */
  readonly label: string;
  /** "a picture" */
  readonly what: string;
  readonly accept: string;
}

export class FileField {
  readonly root: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #name = element('span', { class: 'file-name' });
  readonly #preview = element('div', { class: 'preview', hidden: true });
  readonly #remove = element('button', { type: 'button', class: 'quiet', hidden: true }, 'Remove');
  #file: File | undefined;
  #address: string | undefined;

  constructor(id: string, words: FileWords) {
    this.input = element('input', { type: 'file', id, accept: words.accept, 'aria-describedby': `${id}-name` });
    this.#name.id = `${id}-name`;
    this.#name.textContent = `Drop ${words.what} here, or choose one`;
    const label = element('label', { for: id, class: 'label' }, words.label);
    const zone = element('div', { class: 'drop' }, this.input, this.#name);
    this.root = element('div', { class: 'field' }, label, zone, this.#preview, this.#remove);
    this.input.addEventListener('change', () => {
      this.#take(this.input.files?.[0]);
    });
    this.#remove.addEventListener('click', () => {
      this.clear();
      this.input.focus();
    });
    listenForDrops(zone, (file) => {
      this.set(file);
    });
    this.#prompt = this.#name.textContent;
  }
  readonly #prompt: string;

  get file(): File | undefined {
    return this.#file;
  }

  /** Where a page can show the file from. */
  get address(): string | undefined {
    return this.#address;
  }

  set(file: File): void {
    const transfer = new DataTransfer();
    transfer.items.add(file);
    this.input.files = transfer.files;
    this.input.dispatchEvent(new Event('change', { bubbles: true }));
  }

  clear(): void {
    this.input.value = '';
    this.input.dispatchEvent(new Event('change', { bubbles: true }));
  }

  async bytes(): Promise<Uint8Array | undefined> {
    return this.#file && new Uint8Array(await this.#file.arrayBuffer());
  }

  #take(file: File | undefined): void {
    if (this.#address !== undefined) URL.revokeObjectURL(this.#address);
    this.#file = file;
    this.#address = file && URL.createObjectURL(file);
    this.#name.textContent = file ? `${file.name} (${sizeText(file.size)})` : this.#prompt;
    const shown = file && this.#address !== undefined ? previewOf(file, this.#address) : undefined;
    this.#preview.replaceChildren(...(shown ? [shown] : []));
    this.#preview.hidden = !shown;
    this.#remove.hidden = !file;
  }
}

export function listenForDrops(zone: HTMLElement | Document, take: (file: File) => void): void {
  const over = (inside: boolean) => {
    if (zone instanceof HTMLElement) zone.classList.toggle('over', inside);
  };
  zone.addEventListener('dragover', (event) => {
    event.preventDefault();
    over(true);
  });
  zone.addEventListener('dragleave', () => {
    over(false);
  });
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    event.stopPropagation();
    over(false);
    const file = (event as DragEvent).dataTransfer?.files[0];
    if (file) take(file);
  });
}

function previewOf(file: File, address: string): HTMLElement | undefined {
  if (file.type.startsWith('image/')) return element('img', { src: address, alt: 'The picture that was chosen' });
  if (file.type.startsWith('audio/')) {
    return element('audio', { src: address, controls: true, 'aria-label': 'The sound that was chosen' });
  }
  return undefined;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
