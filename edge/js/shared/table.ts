// A table's columns as inputs.
import type { Tensor } from 'onnxlet';
import { parseCsv } from './csv.js';
import { isNumeric, makeTensor, parseField } from './elements.js';
import type { Input } from './interface.js';
import { Problem } from './interface.js';

/** Fields as text. The first line names the columns, unless it is all numbers. */
export interface Table {
  readonly columns: readonly string[] | null;
  readonly rows: readonly (readonly string[])[];
  /** Names it in messages. */
  readonly what: string;
}

export function parseTable(text: string, what: string): Table {
  const rows = parseCsv(text, what);
  const [first] = rows;
  if (!first) throw new Problem(`${what} is empty`);
  if (first.every((field) => field.trim() !== '' && !Number.isNaN(Number(field)))) return { columns: null, rows, what };
  return { columns: first.map((name) => name.trim()), rows: rows.slice(1), what };
}

/** The table's part in an input of kind column or matrix. */
export function tensorOfTable(input: Input, table: Table): Tensor {
  if (table.rows.length === 0) throw new Problem(`${table.what} has names of columns and no rows`);
  return input.kind === 'column' ? columnOf(input, table) : matrixOf(input, table);
}

function columnOf(input: Input, { columns, rows, what }: Table): Tensor {
  const index = columns?.indexOf(input.name) ?? -1;
  if (!columns || index < 0) {
    const known = columns ? `it has ${columns.join(', ')}` : 'its first line has numbers and no names';
    throw new Problem(`${what} has no column ${JSON.stringify(input.name)}; ${known}`);
  }
  const elements = rows.map((row, at) =>
    parseField(row[index] ?? '', input.dtype, `${what}, row ${at + 1}, column ${JSON.stringify(input.name)}`),
  );
  return makeTensor(input.dtype, [rows.length, 1], elements, what);
}

function matrixOf(input: Input, { columns, rows, what }: Table): Tensor {
  const wanted = input.shape[1];
  const width = rows[0]?.length ?? 0;
  if (typeof wanted === 'number' && width !== wanted) {
    throw new Problem(`${what} has ${width} columns; the model takes ${wanted}`);
  }
  // What looks like names may be the first row of a table of texts, but nobody can tell.
  const named = columns && isNumeric(input.dtype) ? columns : null;
  const elements = rows.flatMap((row, at) =>
    row.map((field, index) =>
      parseField(field, input.dtype, `${what}, row ${at + 1}, column ${named?.[index] ?? index + 1}`),
    ),
  );
  return makeTensor(input.dtype, [rows.length, width], elements, what);
}
