import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expand } from '../src/gpu/template.js';

const expanded = (template: string, constants: Record<string, string> = {}) =>
  expand(template, new Map(Object.entries(constants)));

test('constants take their places, and types the form they are stored in', () => {
  const template = 'array<{{STORED A}}> {{VALUE A}} {{A}} {{N}}u';
  assert.equal(expanded(template, { A: 'bool', N: '4' }), 'array<u32> bool bool 4u');
  assert.equal(expanded(template, { A: 'i64', N: '4' }), 'array<vec2<u32>> vec2<u32> i64 4u');
  assert.equal(expanded(template, { A: 'f32', N: '4' }), 'array<f32> f32 f32 4u');
  assert.throws(() => expanded('{{A}}'), /a shader needs the constant A/);
});

test('the first branch whose condition holds is taken', () => {
  const template = '//:if OP == Add\na\n//:elif OP in Sub Mul\nb\n//:elif OP != Div && B\nc\n//:else\nd\n//:end\ne';
  assert.equal(expanded(template, { OP: 'Add' }), 'a\ne');
  assert.equal(expanded(template, { OP: 'Mul' }), 'b\ne');
  assert.equal(expanded(template, { OP: 'Pow', B: 'f32' }), 'c\ne');
  assert.equal(expanded(template, { OP: 'Pow', B: '0' }), 'd\ne');
  assert.equal(expanded(template, { OP: 'Div', B: 'f32' }), 'd\ne');
});

test('nothing inside a branch that is left out is taken', () => {
  const template = '//:if A\n//:if B\nboth\n//:else\na\n//:end\n//:else\n//:if B\nb\n//:end\n//:end';
  assert.equal(expanded(template, { A: '1', B: '1' }), 'both');
  assert.equal(expanded(template, { A: '1', B: '0' }), 'a');
  assert.equal(expanded(template, { A: '0', B: '1' }), 'b');
  assert.equal(expanded(template, {}), '');
});

test('what is not closed or not known is refused', () => {
  assert.throws(() => expanded('//:if A'), /\/\/:if without \/\/:end/);
  assert.throws(() => expanded('//:else'), /\/\/:else without \/\/:if/);
  assert.throws(() => expanded('//:if A < 3\n//:end', { A: '1' }), /a shader asks for "A < 3"/);
});

test('a loop gives its lines as often as a number or a constant says', () => {
  const template = '//:for I N\n//:for J 2\n//:if I == 1\n{{I}}{{J}}\n//:end\n//:end\nnext\n//:end';
  assert.equal(expanded(template, { N: '2' }), 'next\n10\n11\nnext');
  assert.equal(expanded('//:if A\n//:for I 2\n{{I}}\n//:end\n//:end'), '');
  assert.throws(() => expanded('//:for I 2\na'), /\/\/:for without \/\/:end/);
  assert.throws(() => expanded('//:for I N\n//:end'), /a shader repeats for "I N"/);
});
