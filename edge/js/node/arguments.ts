// The command line of a bundle's runner: the same words for every target.
import { parseArgs } from 'node:util';

export interface Arguments {
  /** For the inputs in their order. */
  readonly positional: readonly string[];
  /** By the input's name. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Files to write outputs to, by the output's name. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly table: string | undefined;
  readonly json: boolean;
  readonly verify: 'first' | 'only' | 'not';
  readonly keyFile: string | undefined;
  readonly keyVariable: string | undefined;
  readonly info: boolean;
  readonly repeat: number;
  readonly help: boolean;
}

/** A command line that says something that cannot be. */
export class Usage extends Error {}

export function parseArguments(words: readonly string[]): Arguments {
  const { values, positionals } = split(words);
  if (values.verify && values['no-verify']) throw new Usage('--verify and --no-verify exclude each other');
  if (values['key-file'] !== undefined && values['key-env'] !== undefined) {
    throw new Usage('the key comes from --key-file or from --key-env, not from both');
  }
  const repeat = values.repeat ?? '1';
  if (!/^[1-9]\d*$/.test(repeat)) throw new Usage(`--repeat takes a number from 1 up; ${repeat} given`);
  return {
    positional: positionals,
    inputs: pairs('--input', values.input ?? []),
    outputs: pairs('--output', values.output ?? []),
    table: values.table,
    json: values.json ?? false,
    verify: values.verify ? 'only' : values['no-verify'] ? 'not' : 'first',
    keyFile: values['key-file'],
    keyVariable: values['key-env'],
    info: values.info ?? false,
    repeat: Number(repeat),
    help: values.help ?? false,
  };
}

function split(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        input: { type: 'string', multiple: true },
        output: { type: 'string', multiple: true },
        table: { type: 'string' },
        json: { type: 'boolean' },
        verify: { type: 'boolean' },
        'no-verify': { type: 'boolean' },
        'key-file': { type: 'string' },
        'key-env': { type: 'string' },
        info: { type: 'boolean' },
        repeat: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (cause) {
    throw new Usage(cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause), { cause });
  }
}

function pairs(option: string, texts: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    const equals = text.indexOf('=');
    if (equals < 1) throw new Usage(`${option} takes NAME=VALUE; ${JSON.stringify(text)} given`);
    const name = text.slice(0, equals);
    if (found.has(name)) throw new Usage(`${option} names ${name} twice`);
    found.set(name, text.slice(equals + 1));
  }
  return found;
}
