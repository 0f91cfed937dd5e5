// What the engine hands over to its host in the middle of a run.
import type { Pointer } from './abi.gen.js';
import { messageOf, throwIfAborted, withSignal } from './errors.js';
import { takeValue, withValue } from './marshal.js';
import type { Executor } from './gpu/index.js';
import type { EngineModule } from './module.js';
import type { OperatorCall, OperatorName, WireValue } from './protocol.js';

interface Pending {
  readonly kind: 'custom_op' | 'device';
  readonly domain: string;
  readonly op_type: string;
  readonly attributes: OperatorCall['attributes'];
  readonly inputs: number;
  readonly outputs: number;
}

/** Sessions created from here on hand nodes of these types over. */
export function announceOperators(module: EngineModule, names: readonly OperatorName[]): void {
  for (const [domain, opType] of names) {
    module.withText(domain, (d, dLength) =>
      module.withText(opType, (t, tLength) => module.check(module.abi.ol_register_custom_op(d, dLength, t, tLength))),
    );
  }
}

/** Does what `run` waits for, the device's commands or an operator; what that rejects with is told to the engine. */
export async function runPending(
  module: EngineModule,
  run: Pointer,
  operate: (call: OperatorCall) => Promise<readonly WireValue[]>,
  device: Executor | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { abi } = module;
  const pending = module.json(abi.ol_run_pending(run)) as Pending;
  if (pending.kind === 'device') {
    try {
      await device?.run(abi.ol_run_commands(run), abi.ol_run_commands_size(run));
    } catch (error) {
      fail(module, run, error);
    }
    return;
  }
  const inputs = Array.from({ length: pending.inputs }, (_, index): WireValue => {
    const pointer = abi.ol_run_pending_input(run, index);
    return pointer === 0 ? { kind: 'none' } : takeValue(module, pointer);
  });
  const { domain, op_type, attributes, outputs } = pending;
  let results: readonly WireValue[];
  try {
    results = await withSignal(signal, operate({ name: [domain, op_type], attributes, inputs, outputs }));
  } catch (error) {
    throwIfAborted(signal);
    fail(module, run, error);
    return;
  }
  throwIfAborted(signal);
  results.forEach((value, index) => {
    if (value.kind === 'none') return;
    withValue(module, value, (pointer) => module.check(abi.ol_run_pending_output(run, index, pointer)));
  });
}

function fail(module: EngineModule, run: Pointer, error: unknown): void {
  module.withText(messageOf(error), (text, length) => {
    module.abi.ol_run_pending_fail(run, text, length);
  });
}
