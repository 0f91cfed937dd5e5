// The entry of the dedicated worker that keeps the engine off a page's main thread.
import { Engine } from './engine.js';
import { env } from './env.js';
import { messageOf, OnnxletError } from './errors.js';
import { forward } from './log.js';
import type { FromEngine, Request, ToEngine, WireValue } from './protocol.js';
import { buffersOf } from './transfer.js';

const engine = new Engine();

interface Waiting {
  resolve(outputs: readonly WireValue[]): void;
  reject(error: Error): void;
}
interface Running {
  readonly controller: AbortController;
  /** While the run waits for an operator of the caller's. */
  operator?: Waiting;
}
const running = new Map<number, Running>();

addEventListener('message', (event: MessageEvent<ToEngine>) => {
  const message = event.data;
  switch (message.verb) {
    case 'abort':
      running.get(message.id)?.controller.abort(new Error('the caller aborted'));
      break;
    case 'outputs':
      running.get(message.id)?.operator?.resolve(message.outputs);
      break;
    case 'failure':
      running.get(message.id)?.operator?.reject(new Error(message.message));
      break;
    default:
      void answer(message);
  }
});

async function answer(request: Request): Promise<void> {
  const { id, verb } = request;
  if (verb === 'start') env.logLevel = request.payload.logLevel;
  const entry: Running = { controller: new AbortController() };
  running.set(id, entry);
  try {
    const result = await engine.call(verb, request.payload, {
      signal: entry.controller.signal,
      onOperator: (call) =>
        new Promise((resolve, reject) => {
          entry.operator = { resolve, reject };
          send({ kind: 'operator', id, call }, buffersOf(call.inputs));
        }),
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

forward.to = (level, message) => {
  send({ kind: 'log', level, message });
};
send({ kind: 'hello' });
