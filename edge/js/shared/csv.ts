// Tables as RFC 4180 describes them.
import { Problem } from './interface.js';

/** @param what names the table in messages. Every row has as many fields as the first; a byte order mark is passed over. */
export function parseCsv(text: string, what: string): string[][] {
  const rows = [...records(text.replace(/^\uFEFF/, ''), what)];
  const width = rows[0]?.fields.length ?? 0;
  for (const { fields, line } of rows) {
    if (fields.length !== width) {
      throw new Problem(`${what}: line ${line} has ${fields.length} fields, the first has ${width}`);
    }
  }
  return rows.map(({ fields }) => fields);
}

export function formatCsv(rows: readonly (readonly string[])[]): string {
  const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
  return rows.map((row) => `${row.map(quoted).join(',')}\n`).join('');
}

interface Row {
  readonly fields: string[];
  /** Where it begins, from 1 on. */
  readonly line: number;
}

function* records(text: string, what: string): Generator<Row> {
  let [at, line] = [0, 1];
  while (at < text.length) {
    const row: Row = { fields: [], line };
    const quoted = text[at] === '"';
    for (;;) {
      const { field, end } = text[at] === '"' ? quotedField(text, at, what, line) : plainField(text, at, what, line);
      row.fields.push(field);
      line += field.split('\n').length - 1;
      at = end;
      if (text[at] !== ',') break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    // A line with nothing on it is no row; an empty field that is alone has quotes.
    if (quoted || row.fields.length > 1 || row.fields[0] !== '') yield row;
  }
}

interface Field {
  readonly field: string;
  readonly end: number;
}

function plainField(text: string, start: number, what: string, line: number): Field {
  const found = /[,\r\n]/g;
  found.lastIndex = start;
  const end = found.exec(text)?.index ?? text.length;
  const field = text.slice(start, end);
  if (field.includes('"')) throw new Problem(`${what}: line ${line} has a quote inside a field that is not quoted`);
  return { field, end };
}

function quotedField(text: string, start: number, what: string, line: number): Field {
  let end = start + 1;
  for (;;) {
    end = text.indexOf('"', end);
    if (end < 0) throw new Problem(`${what}: the quote that opens on line ${line} is never closed`);
    if (text[end + 1] !== '"') break;
    end += 2;
  }
  const after = text[end + 1];
  if (after !== undefined && !',\r\n'.includes(after)) {
    throw new Problem(`${what}: line ${line} goes on after a closing quote with ${JSON.stringify(after)}`);
  }
  return { field: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 };
}
