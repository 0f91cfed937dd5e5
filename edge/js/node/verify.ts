// Whether a bundle's folder is what it was when it was made: every file against SHA256SUMS.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

const LIST = 'SHA256SUMS';

export class Tampered extends Error {
  override readonly name = 'Tampered';
}

/** Returns the number of files; rejects with a Tampered that names the first one, by path, that is not as listed. */
export async function verify(folder: string): Promise<number> {
  const listed = await readList(folder);
  const found = new Map((await filesOf(folder)).map((entry) => [entry.name, entry]));
  for (const name of [...new Set([...listed.keys(), ...found.keys()])].sort()) {
    const [expected, entry] = [listed.get(name), found.get(name)];
    if (!entry) throw new Tampered(`${name} is missing`);
    if (!entry.isFile) throw new Tampered(`${name} is not a regular file`);
    if (expected === undefined) throw new Tampered(`${name} is extra: ${LIST} does not list it`);
    const actual = await digest(path.join(folder, name));
    if (actual !== expected) {
      throw new Tampered(`${name} differs: its SHA-256 is ${actual}; ${LIST} says ${expected}`);
    }
  }
  return listed.size;
}

/** SHA-256 by path. Only what the bundle's maker writes is taken: lines in order, with ends. */
async function readList(folder: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(path.join(folder, LIST), 'utf8');
  } catch {
    throw new Tampered(`${LIST} is missing`);
  }
  const listed = new Map<string, string>();
  let last = '';
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Tampered(`${LIST} is damaged: its last line has no end`);
  for (const [index, line] of lines.entries()) {
    const [, hash, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    if (hash === undefined || name === undefined || codePointsBefore(name, last) || name === last) {
      throw new Tampered(`${LIST} is damaged: line ${index + 1} is not a SHA-256, two spaces and the next path`);
    }
    listed.set(name, hash);
    last = name;
  }
  return listed;
}

/** Whether `one` comes before `other` by code points, and not by UTF-16 as JavaScript compares. */
function codePointsBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}

interface Entry {
  /** Relative to the folder, with slashes. */
  readonly name: string;
  readonly isFile: boolean;
}

async function filesOf(folder: string, prefix = ''): Promise<Entry[]> {
  const entries = await readdir(path.join(folder, prefix), { withFileTypes: true });
  const files: Entry[] = [];
  for (const entry of entries) {
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) files.push(...(await filesOf(folder, `${name}/`)));
    else if (name !== LIST) files.push({ name, isFile: entry.isFile() });
  }
  return files;
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
