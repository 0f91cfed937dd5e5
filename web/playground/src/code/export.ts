// A folder with the model, the program and the package, as a ZIP archive: put it on any web server and open it.
import type { LoadedModel } from '../model/loaded.js';
import { zipFiles } from '../model/parse.js';
import type { Sizes } from '../run/inputs.js';
import { snippet } from './snippets.js';

const PACKAGE = ['onnxlet.mjs', 'worker.mjs', 'thread.mjs'];
const ENGINES = ['onnxlet', 'onnxlet-relaxed', 'onnxlet-threads', 'onnxlet-relaxed-threads'];

export async function exportFolder(loaded: LoadedModel, sizes: Sizes): Promise<Uint8Array<ArrayBuffer>> {
  const names = [...PACKAGE, ...ENGINES.map((name) => `${name}.wasm`)];
  const files = await Promise.all(
    names.map(async (name) => [`onnxlet/${name}`, await fetched(`./onnxlet/${name}`)] as const),
  );
  const data = await Promise.all(
    [...loaded.companions].map(async ([path, blob]) => [path, await bytesOf(blob)] as const),
  );
  const program = snippet('JavaScript', loaded, sizes).replace("from 'onnxlet'", "from './onnxlet/onnxlet.mjs'");
  const content = {
    ...Object.fromEntries([...files, ...data]),
    [loaded.name]: await bytesOf(loaded.file),
    'main.mjs': new TextEncoder().encode(program + SHOWN),
    'index.html': new TextEncoder().encode(PAGE),
  };
  return zipFiles(content);
}

const SHOWN = `document.getElementById('outputs').textContent = Object.entries(outputs)
  .map(([name, value]) => \`\${name}: \${value.type} [\${value.dims}]\\n\${value.data.slice(0, 50).join(' ')}\`)
  .join('\\n\\n');
`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>A model on onnxlet</title>
    <script type="module" src="./main.mjs"></script>
  </head>
  <body>
    <h1>Outputs</h1>
    <pre id="outputs">running …</pre>
  </body>
</html>
`;

async function fetched(address: string): Promise<Uint8Array> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} is not there (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

async function bytesOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer());
}
