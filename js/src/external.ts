// Which address an external data file has. The name comes from the model, which is not trusted: it may not lead out of
// the model's own folder.
import { OnnxletError } from './errors.js';
import type { FileSource, ModelRequest } from './protocol.js';

export function externalSource(file: string, request: ModelRequest): FileSource {
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
  return { kind: 'url', url: insideFolder(file, request.model.url), cache, decryption };
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
