import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCsv, parseCsv } from '../shared/csv.js';

const read = (text: string) => parseCsv(text, 't.csv');

test('fields, quotes, line ends', () => {
  assert.deepEqual(read('a,b\r\n1,2\r\n'), [
    ['a', 'b'],
    ['1', '2'],
  ]);
  assert.deepEqual(read('a,b\n1,2'), [
    ['a', 'b'],
    ['1', '2'],
  ]);
  assert.deepEqual(read('\uFEFFa\n"x, ""y""\r\nz"\n'), [['a'], ['x, "y"\r\nz']]);
  assert.deepEqual(read('a,,\n,,"" \n'.replace(' ', '')), [
    ['a', '', ''],
    ['', '', ''],
  ]);
  assert.deepEqual(read(''), []);
});

test('empty lines are no rows, empty fields in quotes are', () => {
  assert.deepEqual(read('a\n\n\n1\n\n'), [['a'], ['1']]);
  assert.deepEqual(read('a\r\n""\r\n'), [['a'], ['']]);
  assert.deepEqual(read('a\n""'), [['a'], ['']]);
});

test('what is written is read again', () => {
  const rows = [
    ['plain', 'comma,', 'quote"'],
    ['line\nfeed', 'carriage\rreturn', ''],
  ];
  assert.deepEqual(read(formatCsv(rows)), rows);
});

test('errors name the line', () => {
  const failure = (text: string) => {
    try {
      read(text);
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };
  assert.equal(failure('a,b\n"x\ny",1\n1,2,3\n'), 't.csv: line 4 has 3 fields, the first has 2');
  assert.equal(failure('a\n"x\ny'), 't.csv: the quote that opens on line 2 is never closed');
  assert.equal(failure('a\n"x"y\n'), 't.csv: line 2 goes on after a closing quote with "y"');
  assert.equal(failure('a\nx"y\n'), 't.csv: line 2 has a quote inside a field that is not quoted');
});
