// What a bundle is and what it takes, for --info and --help.
import type { Input, Interface, Output } from '../shared/interface.js';
import { takesFile, titleOf } from '../shared/interface.js';

export function describe(asked: Interface, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(asked)}\n`;
  const { name, title = name, description } = asked;
  const ports = (which: string, items: readonly (Input | Output)[]) => items.map((item) => `${which}  ${port(item)}`);
  const lines = [
    title,
    ...(description === undefined ? [] : [description]),
    ...ports('input ', asked.inputs),
    ...ports('output', asked.outputs),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function port(item: Input | Output): string {
  const sizes = item.shape.map((size) => size ?? '?').join(', ');
  const title = titleOf(item);
  return `${item.name}: ${item.kind}, ${item.dtype} [${sizes}]${title === item.name ? '' : ` (${title})`}`;
}

export function help(asked: Interface): string {
  const inputs = asked.inputs.map((input) => `  ${input.name.padEnd(16)} ${takes(input)}`);
  return `usage: node run.mjs [ARGUMENT ...] [OPTION ...]

Asks the model ${asked.title ?? asked.name}. Arguments are the inputs in this order:
${inputs.join('\n')}

  --input NAME=VALUE      an input by its name
  --table FILE.csv        a table whose columns are the inputs
  --json                  the outputs as JSON, every digit of them
  --output NAME=FILE.npy  saves an output (again for more)
  --verify                only checks every file of this folder against SHA256SUMS
  --no-verify             does not check before it runs
  --key-file FILE         the key of an encrypted model: 32 bytes in hexadecimal or base64
  --key-env VARIABLE      the same, from the environment
  --info                  what the model takes and gives
  --repeat N              runs N times and says how long that takes
  --help                  this text

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a file of the bundle is not what it was.
`;
}

function takes(input: Input): string {
  const { kind, dtype } = input;
  if (takesFile(input)) return kind === 'bytes' ? 'a file' : `a file (${kind})`;
  switch (kind) {
    case 'text':
      return 'text; @FILE reads a file, - the standard input';
    case 'column':
      return `a JSON list (${dtype}), or --table`;
    case 'matrix':
      return `a .csv or .npy file, JSON lists (${dtype}), or --table`;
    default:
      return `a .npy file, or JSON lists (${dtype})`;
  }
}
