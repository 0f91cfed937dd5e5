// Builds onnxlet/_edge/: what `onnxlet bundle` puts into folders for Node and for web pages, besides engine and model.
// The sources are in edge/js/.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const source = path.join(root, 'edge', 'js');
const out = path.join(root, 'onnxlet', '_edge');
const { version } = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'));

rmSync(out, { recursive: true, force: true });
for (const folder of ['node', 'web']) mkdirSync(path.join(out, folder), { recursive: true });

// Names and lines stay as they are: whoever wants to know what runs can read it.
const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  define: { ONNXLET_VERSION: JSON.stringify(version) },
  legalComments: 'none',
  logLevel: 'warning',
};

await buildNode();
await buildWeb();
copyFileSync(path.join(root, 'LICENSE'), path.join(out, 'LICENSE.onnxlet.txt'));

async function buildNode() {
  const options = { ...common, outdir: path.join(out, 'node'), outExtension: { '.js': '.mjs' } };
  await esbuild.build({
    ...options,
    platform: 'neutral',
    entryPoints: { onnxlet: 'js/src/index.ts', thread: 'js/src/thread.ts' },
  });
  await esbuild.build({
    ...options,
    platform: 'node',
    target: 'node20',
    entryPoints: { index: path.join(source, 'node/index.ts'), run: path.join(source, 'node/run.ts') },
    plugins: [resolved('onnxlet', { path: './onnxlet.mjs', external: true, sideEffects: false })],
  });
  copyFileSync(path.join(source, 'node/bundle.d.ts'), path.join(out, 'node/index.d.ts'));
  copyFileSync(path.join(source, 'node/README.md'), path.join(out, 'node/README.md'));
}

async function buildWeb() {
  const assets = [resolved('\\./assets\\.js', { path: path.join(source, 'web/assets.ts') })];
  // Not modules: pages that were opened as files may start no worker of that kind from a part of themselves.
  const options = { ...common, platform: 'neutral', format: 'iife' };
  const text = async (entry, plugins) => {
    const built = await esbuild.build({ ...options, entryPoints: [entry], minify: true, write: false, plugins });
    return built.outputFiles[0].text;
  };
  const thread = await text('js/src/thread.ts', []);
  const worker = await text('js/src/worker.ts', [...assets, constants('edge:workers', { thread, worker: '' })]);
  const onnxlet = resolved('onnxlet', { path: path.join(here, 'src/index.ts'), sideEffects: false });
  await esbuild.build({
    ...options,
    outdir: path.join(out, 'web'),
    entryPoints: { app: path.join(source, 'web/app.ts') },
    plugins: [...assets, onnxlet, constants('edge:workers', { thread: '', worker })],
  });
  await esbuild.build({ ...options, outdir: path.join(out, 'web'), entryPoints: [path.join(source, 'web/sw.ts')] });
  for (const name of ['index.html', 'style.css', 'README.md']) {
    copyFileSync(path.join(source, 'web', name), path.join(out, 'web', name));
  }
}

/** A plugin: a module `name` that exports texts. */
function constants(name, texts) {
  return {
    name,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }));
      build.onLoad({ filter: /.*/, namespace: name }, () => ({
        contents: Object.entries(texts)
          .map(([key, text]) => `export const ${key} = ${JSON.stringify(text)};`)
          .join('\n'),
      }));
    },
  };
}

/** A plugin: what an import of `name`, a regular expression, is. */
function resolved(name, result) {
  return {
    name: `resolve ${name}`,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => result);
    },
  };
}
