// The command line of a bundle for Node. Nothing else of the bundle is loaded before all of it is checked.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { answersOf } from '../shared/answers.js';
import { isTensor } from '../shared/elements.js';
import type { Input, Interface } from '../shared/interface.js';
import { Problem, readInterface, takesFile, takesTable } from '../shared/interface.js';
import type { Value } from '../shared/json.js';
import { jsonOfOutputs } from '../shared/json.js';
import { parseKey } from '../shared/key.js';
import { writeNpy } from '../shared/npy.js';
import { printed } from '../shared/print.js';
import type { Arguments } from './arguments.js';
import { parseArguments, Usage } from './arguments.js';
import type * as bundle from './bundle.js';
import { describe, help } from './describe.js';
import { askForKey } from './prompt.js';
import { Tampered, verify } from './verify.js';

const HOME = path.dirname(fileURLToPath(import.meta.url));
const [DONE, FAILED, MISUSED, CHANGED] = [0, 1, 2, 3];

async function main(): Promise<number> {
  try {
    await perform(parseArguments(process.argv.slice(2)));
    return DONE;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`error: ${text.replaceAll('\n', ' ')}\n`);
    if (error instanceof Usage) process.stderr.write('run.mjs --help shows what it takes\n');
    return error instanceof Usage ? MISUSED : error instanceof Tampered ? CHANGED : FAILED;
  }
}

async function perform(chosen: Arguments): Promise<void> {
  const files = chosen.verify === 'not' ? 0 : await verify(HOME);
  const asked = readInterface(await readFile(path.join(HOME, 'interface.json'), 'utf8'));
  if (chosen.help) {
    process.stdout.write(help(asked));
    return;
  }
  if (chosen.verify === 'only') {
    process.stdout.write(`all ${files} files are what they were\n`);
    return;
  }
  if (chosen.info) {
    process.stdout.write(describe(asked, chosen.json));
    return;
  }
  await answer(chosen, asked);
}

async function answer(chosen: Arguments, asked: Interface): Promise<void> {
  const given = await readInputs(chosen, asked);
  const table = chosen.table === undefined ? {} : { table: (await readBytes(chosen.table)).toString('utf8') };
  const outputNames = asked.outputs.map(({ name }) => name);
  const stray = [...chosen.outputs.keys()].find((name) => !outputNames.includes(name));
  if (stray !== undefined) throw new Usage(`there is no output ${stray}; the outputs are ${outputNames.join(', ')}`);
  const { open } = (await import(new URL('./index.mjs', import.meta.url).href)) as typeof bundle;
  const key = await keyOf(chosen);
  const opened = await open({ verify: false, ...(key ? { key } : {}) });
  const times: number[] = [];
  let values: Record<string, Value> = {};
  for (let turn = 0; turn < chosen.repeat; turn++) {
    const start = performance.now();
    values = (await opened.ask(given, table)) as Record<string, Value>;
    times.push(performance.now() - start);
  }
  for (const [name, file] of chosen.outputs)
    await writeFile(file, writeNpy(tensorNamed(name, values), `output ${name}`));
  if (chosen.json) {
    process.stdout.write(jsonOfOutputs(asked, values));
  } else {
    process.stdout.write(printed(answersOf(asked, values)));
  }
  if (chosen.repeat > 1) process.stderr.write(timesText(times, opened.threads));
  await opened.close();
}

async function readInputs(chosen: Arguments, asked: Interface): Promise<Record<string, bundle.Input>> {
  const texts = new Map(chosen.inputs);
  const names = asked.inputs.map(({ name }) => name);
  const stray = [...texts.keys()].find((name) => !names.includes(name));
  if (stray !== undefined) throw new Usage(`there is no input ${stray}; the inputs are ${names.join(', ')}`);
  const open = asked.inputs.filter(({ name }) => !texts.has(name));
  if (chosen.positional.length > open.length) {
    throw new Usage(`${chosen.positional.length} arguments are given for ${open.length} inputs (${names.join(', ')})`);
  }
  chosen.positional.forEach((text, index) => texts.set(open[index]?.name ?? '', text));
  const absent = asked.inputs.find((input) => !texts.has(input.name) && !(chosen.table && takesTable(input)));
  if (absent) throw new Usage(`the input ${absent.name} is missing`);
  const given: Record<string, bundle.Input> = {};
  for (const input of asked.inputs) {
    const text = texts.get(input.name);
    if (text !== undefined) given[input.name] = await readInput(input, text);
  }
  return given;
}

async function readInput(input: Input, text: string): Promise<bundle.Input> {
  if (takesFile(input)) return readBytes(text);
  if (input.kind === 'text') {
    if (text === '-') return new Uint8Array(Buffer.concat(await process.stdin.toArray()));
    return text.startsWith('@') ? readBytes(text.slice(1)) : text;
  }
  return /\.(npy|json|csv)$/i.test(text) ? readBytes(text) : text;
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Problem(code === 'ENOENT' ? `${file} does not exist` : `${file} cannot be read (${code})`, { cause });
  }
}

async function keyOf({ keyFile, keyVariable }: Arguments): Promise<Uint8Array | undefined> {
  if (keyFile !== undefined) return parseKey((await readBytes(keyFile)).toString('latin1'), `the key in ${keyFile}`);
  if (keyVariable !== undefined) {
    const text = process.env[keyVariable];
    if (text === undefined) throw new Problem(`the environment has no variable ${keyVariable}`);
    return parseKey(text, `the key in ${keyVariable}`);
  }
  return askForKey(HOME);
}

function tensorNamed(name: string, values: Readonly<Record<string, Value>>) {
  const value = values[name];
  if (isTensor(value)) return value;
  throw new Problem(`output ${name} is no tensor and cannot be saved as .npy`);
}

function timesText(times: readonly number[], threads: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `${times.length} runs: median ${middle.toFixed(3)} ms, fastest ${(sorted[0] ?? 0).toFixed(3)} ms, threads: ${threads}\n`;
}

process.exitCode = await main();
