// The entry of one engine thread. It receives a ThreadStart, enters the engine and stays there until the engine stops.
import { importsFor } from './module.js';
import { messageOf } from './errors.js';
import { isNode, nodeModule } from './platform.js';
import type { ThreadReport, ThreadStart } from './threads.js';

function enter(start: ThreadStart, report: (report: ThreadReport) => void): void {
  let leave: (() => void) | undefined;
  try {
    const imports = importsFor(start.module, start.memory, () => undefined);
    const { exports } = new WebAssembly.Instance(start.module, imports);
    (exports['__stack_pointer'] as WebAssembly.Global).value = start.stackPointer;
    (exports['__wasm_init_tls'] as (pointer: number) => void)(start.tlsPointer);
    report({ entering: start.index });
    leave = exports['ol_worker_failed'] as () => void;
    (exports['ol_worker_main'] as (index: number) => void)(start.index);
  } catch (error) {
    leave?.();
    report({ failed: `thread ${start.index}: ${messageOf(error)}` });
  }
}

async function listen(): Promise<void> {
  if (isNode()) {
    const { parentPort } = await nodeModule('worker_threads');
    parentPort?.once('message', (start: ThreadStart) => {
      enter(start, (report) => {
        parentPort.postMessage(report);
      });
    });
  } else {
    addEventListener('message', (event: MessageEvent<ThreadStart>) => {
      enter(event.data, (report) => {
        postMessage(report);
      });
    });
  }
}

void listen();
