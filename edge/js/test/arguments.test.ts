import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments, Usage } from '../node/arguments.js';

test('the whole command line', () => {
  const words = ['a.png', '--input', 'x=[1]=', '--input=y=', '--table', 't.csv', '--json', '--output', 'z=z.npy'];
  const parsed = parseArguments([...words, '--no-verify', '--key-env', 'KEY', '--repeat', '7', '--', '--words']);
  assert.deepEqual(parsed, {
    positional: ['a.png', '--words'],
    inputs: new Map([
      ['x', '[1]='],
      ['y', ''],
    ]),
    outputs: new Map([['z', 'z.npy']]),
    table: 't.csv',
    json: true,
    verify: 'not',
    keyFile: undefined,
    keyVariable: 'KEY',
    info: false,
    repeat: 7,
    help: false,
  });
  assert.equal(parseArguments([]).verify, 'first');
  assert.equal(parseArguments(['--verify']).verify, 'only');
  assert.deepEqual(parseArguments(['-']).positional, ['-']);
});

test('what cannot be is refused', () => {
  const refused = (words: string[], message: string | RegExp) => {
    assert.throws(
      () => parseArguments(words),
      (error) =>
        error instanceof Usage &&
        (typeof message === 'string' ? error.message === message : message.test(error.message)),
    );
  };
  refused(['--key-file', 'a', '--key-env', 'B'], 'the key comes from --key-file or from --key-env, not from both');
  refused(['--output', '=a'], '--output takes NAME=VALUE; "=a" given');
  refused(['--repeat', '1.5'], '--repeat takes a number from 1 up; 1.5 given');
  refused(['--table'], /^Option '--table <value>' argument missing/);
  refused(['--nothing'], /^Unknown option '--nothing'/);
});
