// Which address an external data file has. The name comes from the model, which is not trusted: it may not lead out of
// the model's own folder.
import { messageOf, OnnxletError } from './errors.js';
import { nodeModule } from './platform.js';
import type { FileSource, ModelRequest } from './protocol.js';

export async function externalSource(file: string, request: ModelRequest): Promise<FileSource> {
  const given = request.external[file] ?? request.external[file.replace(/^(\.\/)+/, '')];
  if (given) return given;
  if (request.model.kind !== 'url') {
    throw new OnnxletError(
      'NO_SUCH_FILE',
      `the model keeps data in ${JSON.stringify(file)}, which was not given: pass ` +
        `externalData: [{ path: ${JSON.stringify(file)}, data: ... }]`,
    );
  }
  const { cache, decryption } = request.model;
  const url = insideFolder(file, request.model.url);
  if (url.startsWith('file:')) await refuseLinksOut(file, new URL(url), new URL(request.model.url));
  return { kind: 'url', url, cache, decryption };
}

/** The address of `file` beside the model at `modelUrl`. */
export function insideFolder(file: string, modelUrl: string): string {
  const folder = new URL('.', modelUrl).href;
  const path = file.split('/').map(encodeURIComponent).join('/');
  const url = new URL(path, folder);
  const leaves =
    !url.href.startsWith(folder) || file.split(/[/\\]/).includes('..') || /^[/\\]|^[a-z]:|[\\\0]/i.test(file);
  if (leaves) {
    throw new OnnxletError(
      'INVALID_GRAPH',
      `the model names the data file ${JSON.stringify(file)}, which lies outside its own folder; that is refused`,
    );
  }
  return url.href;
}

/**
 * On a disk a file inside the folder may be a link out of it. Where the model's file is a link itself, the folder that
 * it points into counts too: caches of downloads link a model and its data into one store.
 */
async function refuseLinksOut(file: string, url: URL, model: URL): Promise<void> {
  const { realpath, stat } = await nodeModule('fs/promises');
  const name = JSON.stringify(file);
  let found, regular, folders;
  try {
    found = await realpath(url);
    regular = (await stat(found)).isFile();
    const path = await nodeModule('path');
    const real = [await realpath(new URL('.', model)), path.dirname(await realpath(model))];
    folders = real.map((folder) => folder + path.sep);
  } catch (cause) {
    const text = `the model keeps data in ${name}, which is not beside it: ${messageOf(cause)}`;
    throw new OnnxletError('NO_SUCH_FILE', text, { cause });
  }
  if (!folders.some((folder) => found.startsWith(folder))) {
    const text = `the model names the data file ${name}, which is a link out of its folder; that is refused`;
    throw new OnnxletError('INVALID_GRAPH', text);
  }
  if (!regular) throw new OnnxletError('INVALID_GRAPH', `the data file ${name} is not a regular file`);
}
