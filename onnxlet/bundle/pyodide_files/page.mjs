// Starts Pyodide with onnxlet and shows each model of the bundle at work. example.py does the work.
import { loadPyodide } from './pyodide/pyodide.mjs';

const beside = (name) => new URL(name, import.meta.url).href;
const status = document.getElementById('status');
const list = document.getElementById('models');

async function start() {
  const pyodide = await loadPyodide({
    packages: ['onnxlet'],
    env: { ONNXLET_THREAD_SCRIPT: beside('thread.js') },
  });
  pyodide.FS.writeFile('example.py', await (await fetch(beside('example.py'))).text());
  return pyodide.pyimport('example');
}

async function show(example, entry) {
  const section = document.createElement('section');
  const title = document.createElement('h2');
  title.textContent = entry.name;
  const text = document.createElement('pre');
  text.textContent = '…';
  section.append(title, text);
  list.append(section);
  const result = await work(example, entry);
  text.textContent = describe(result);
  return result;
}

async function work(example, entry) {
  try {
    return JSON.parse(await example.run(beside('./'), entry.name));
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
}

function describe(result) {
  if (result.error) return result.error;
  const lines = [
    ...result.inputs.map((text) => `input   ${text}`),
    ...result.outputs.map((text) => `output  ${text}`),
    `loaded in ${result.load_ms.toFixed(0)} ms`,
  ];
  if (result.run_ms === undefined) return [...lines, 'No inputs could be made up: feed it from example.py.'].join('\n');
  const same = result.same ? 'the bits that were expected' : 'NOT the bits that were expected';
  return [...lines, `ran in ${result.run_ms.toFixed(1)} ms (threads: ${result.threads}): ${same}`].join('\n');
}

const results = [];
try {
  const example = await start();
  status.textContent = 'Python is ready.';
  for (const entry of await (await fetch(beside('models.json'))).json()) results.push(await show(example, entry));
} catch (error) {
  status.textContent = String(error.message ?? error);
}
// For tests, and for whoever looks into the console.
globalThis.onnxletResults = results;
