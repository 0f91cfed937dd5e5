// Finds code that makes code of text: eval, Function, timers and workers that are given text.
// usage: node dynamic_code.mjs PACKAGE FILE...     PACKAGE: package.json beside whose node_modules TypeScript is
// Prints a JSON array of "FILE:LINE: code".
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [description, ...files] = process.argv.slice(2);
const ts = createRequire(description)('typescript');
const MAKERS = new Set(['eval', 'Function', 'AsyncFunction', 'GeneratorFunction', 'execScript']);
const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);

/** `eval` of eval, globalThis.eval and (0, eval). */
function nameOf(callee) {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text;
  if (ts.isParenthesizedExpression(callee)) return nameOf(callee.expression);
  if (ts.isBinaryExpression(callee)) return nameOf(callee.right);
  return '';
}

const isText = (node) =>
  node !== undefined && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isBinaryExpression(node));

function makesCode(node) {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  const name = nameOf(node.expression);
  return MAKERS.has(name) || (TIMERS.has(name) && isText(node.arguments?.[0]));
}

const found = [];
for (const file of files) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const visit = (node) => {
    if (makesCode(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${path.basename(file)}:${line + 1}: ${node.getText().slice(0, 60)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
console.log(JSON.stringify(found));
