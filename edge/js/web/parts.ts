// The files of a bundle: beside the page, each checked by its hash, or inside it.
import type { Interface } from '../shared/interface.js';
import { Problem } from '../shared/interface.js';

/** What the page says about its bundle, in the element `bundle`. */
export interface Description {
  readonly interface: Interface;
  /** The name of the model's file. */
  readonly model: string;
  readonly encrypted: boolean;
  /** Names of the engine's files. */
  readonly engines: readonly string[];
  /** Hashes as in an attribute `integrity`, by name. Nothing where the files are inside the page. */
  readonly files: Readonly<Record<string, string>>;
}

export function readDescription(): Description {
  return JSON.parse(textOf('bundle')) as Description;
}

export function isInside({ files }: Description): boolean {
  return Object.keys(files).length === 0;
}

export async function readPart(description: Description, name: string): Promise<Blob> {
  if (isInside(description)) return inflate(textOf(name));
  const integrity = description.files[name] ?? '';
  let response: Response;
  try {
    response = await fetch(name, { integrity });
  } catch (cause) {
    throw new Problem(await reasonFor(name), { cause });
  }
  if (!response.ok) throw new Problem(`${name} cannot be loaded: the server answers ${response.status}`);
  return response.blob();
}

/** Browsers do not say why they refuse: what does not come at all is told from what is another file. */
async function reasonFor(name: string): Promise<string> {
  const there = await fetch(name).then(
    ({ ok }) => ok,
    () => false,
  );
  return there
    ? `${name} is not the file that this page was made with: its SHA-256 is another one`
    : `${name} cannot be loaded; is the server still there?`;
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

async function inflate(base64: string): Promise<Blob> {
  const text = atob(base64.trim());
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).blob();
}
