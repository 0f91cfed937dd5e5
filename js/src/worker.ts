// The entry of the dedicated worker that keeps the engine off a page's main thread.
import { Engine } from './engine.js';
import { env } from './env.js';
import { messageOf, OnnxletError } from './errors.js';
import type { FromEngine, Request, ToEngine, WireValue } from './protocol.js';
import { buffersOf } from './transfer.js';

const engine = new Engine();
const running = new Map<number, AbortController>();

addEventListener('message', (event: MessageEvent<ToEngine>) => {
  const message = event.data;
  if (message.verb === 'abort') running.get(message.id)?.abort(new Error('the caller aborted'));
  else void answer(message);
});

async function answer(request: Request): Promise<void> {
  const { id, verb } = request;
  if (verb === 'start') env.logLevel = request.payload.logLevel;
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const result = await engine.call(verb, request.payload, {
      signal: controller.signal,
      onProgress: (progress) => {
        send({ kind: 'progress', id, progress });
      },
    });
    const outputs = (result as { outputs?: readonly WireValue[] }).outputs ?? [];
    send({ kind: 'answer', id, answer: result, lost: engine.lost }, buffersOf(outputs));
  } catch (error) {
    const code = error instanceof OnnxletError ? error.code : 'INTERNAL';
    send({ kind: 'error', id, error: { code, message: messageOf(error) }, lost: engine.lost });
  } finally {
    running.delete(id);
  }
}

function send(message: FromEngine, transfer: Transferable[] = []): void {
  postMessage(message, { transfer });
}

send({ kind: 'hello' });
