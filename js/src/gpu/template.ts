// What turns a file of web/shaders/ into WGSL: lines that begin with `//:` choose among others, `{{...}}` is replaced.
//
//   //:if NAME          NAME is given, and not 0
//   //:if NAME == value  (also !=, `in value value`; joined by &&)
//   //:elif ...  //:else  //:end
//   //:include NAME     the lines of that file
//   {{NAME}}            its value; {{STORED NAME}}, {{VALUE NAME}}, {{SHIFT NAME}} of an element type: see below
//   @next               the next binding of group 0, counted from 0
//   //:for NAME COUNT   the lines until //:end with NAME = 0, 1 ...; COUNT is a number or a constant
import { OnnxletError } from '../errors.js';

export type Constants = ReadonlyMap<string, string>;

// How elements of a type lie in a buffer, and what shaders compute with.
const STORED: Readonly<Record<string, string>> = {
  bool: 'u32',
  u8: 'u32',
  i8: 'u32',
  u16: 'u32',
  i16: 'u32',
  half: 'u32',
  u4: 'u32',
  i4: 'u32',
  i64: 'vec2<u32>',
  u64: 'vec2<u32>',
};
const VALUES: Readonly<Record<string, string>> = {
  u8: 'u32',
  i8: 'i32',
  u16: 'u32',
  i16: 'i32',
  half: 'f32',
  u4: 'u32',
  i4: 'i32',
  i64: 'vec2<u32>',
  u64: 'vec2<u32>',
};
// Of elements to a word, the power of two.
const SHIFTS: Readonly<Record<string, string>> = {
  bool: '2',
  u8: '2',
  i8: '2',
  u16: '1',
  i16: '1',
  half: '1',
  u4: '3',
  i4: '3',
};

const DIRECTIVE = /^\/\/:(\w+)\s*(.*)$/;

interface Branch {
  /** Lines of it are wanted. */
  active: boolean;
  /** It, or one before it, was chosen. */
  chosen: boolean;
  readonly outside: boolean;
}

export function expand(template: string, constants: Constants): string {
  let bindings = 0;
  const text = expandLines(template.split('\n'), constants).join('\n');
  return text.replaceAll('@next', () => `@group(0) @binding(${bindings++})`);
}

function expandLines(source: readonly string[], constants: Constants): string[] {
  const lines: string[] = [];
  const branches: Branch[] = [];
  const wanted = () => branches.at(-1)?.active ?? true;
  for (let at = 0; at < source.length; at++) {
    const line = source[at] ?? '';
    const [, word, condition = ''] = DIRECTIVE.exec(line) ?? [];
    const branch = branches.at(-1);
    if (word === undefined) {
      if (wanted()) lines.push(substitute(line, constants));
    } else if (word === 'if') {
      const active = wanted() && holds(condition, constants);
      branches.push({ active, chosen: active, outside: wanted() });
    } else if (word === 'for') {
      const end = endOf(source, at);
      if (wanted()) lines.push(...repeat(condition, source.slice(at + 1, end), constants));
      at = end;
    } else if (branch === undefined) {
      throw new OnnxletError('INTERNAL', `a shader has //:${word} without //:if`);
    } else if (word === 'end') {
      branches.pop();
    } else {
      branch.active = branch.outside && !branch.chosen && (word === 'else' || holds(condition, constants));
      branch.chosen ||= branch.active;
    }
  }
  if (branches.length > 0) throw new OnnxletError('INTERNAL', 'a shader has //:if without //:end');
  return lines;
}

/** Where the //:end of the //:for at `start` is. */
function endOf(source: readonly string[], start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const [, word] = DIRECTIVE.exec(source[at] ?? '') ?? [];
    if (word === 'if' || word === 'for') depth++;
    if (word === 'end' && --depth === 0) return at;
  }
  throw new OnnxletError('INTERNAL', 'a shader has //:for without //:end');
}

function repeat(head: string, body: readonly string[], constants: Constants): string[] {
  const [name = '', given = ''] = head.split(/\s+/);
  const count = Number(constants.get(given) ?? given);
  if (!Number.isInteger(count)) throw new OnnxletError('INTERNAL', `a shader repeats for ${JSON.stringify(head)}`);
  return Array.from({ length: count }, (_, i) => expandLines(body, new Map([...constants, [name, String(i)]]))).flat();
}

function holds(condition: string, constants: Constants): boolean {
  return condition.split('&&').every((part) => {
    const [name = '', relation, ...values] = part.trim().split(/\s+/);
    const given = constants.get(name);
    switch (relation) {
      case undefined:
        return given !== undefined && given !== '0';
      case '==':
      case 'in':
        return given !== undefined && values.includes(given);
      case '!=':
        return given === undefined || !values.includes(given);
      default:
        throw new OnnxletError('INTERNAL', `a shader asks for ${JSON.stringify(condition)}`);
    }
  });
}

function substitute(line: string, constants: Constants): string {
  return line.replaceAll(/\{\{(?:(\w+) )?(\w+)\}\}/g, (_, use: string | undefined, name: string) => {
    const value = constants.get(name);
    if (value === undefined) throw new OnnxletError('INTERNAL', `a shader needs the constant ${name}`);
    if (use === 'STORED') return STORED[value] ?? value;
    if (use === 'VALUE') return VALUES[value] ?? value;
    if (use === 'SHIFT') return `${SHIFTS[value] ?? 0}u`;
    return value;
  });
}
