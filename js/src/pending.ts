// What the engine hands over to its host in the middle of a run.
import type { Pointer } from './abi.gen.js';
import { messageOf, throwIfAborted, withSignal } from './errors.js';
import { takeValue, withValue } from './marshal.js';
import type { EngineModule } from './module.js';
import type { OperatorCall, OperatorName, WireValue } from './protocol.js';

interface Pending {
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

/** Runs the operator that `run` waits for, with `operate`; what that rejects with is told to the engine. */
export async function runPending(
  module: EngineModule,
  run: Pointer,
  operate: (call: OperatorCall) => Promise<readonly WireValue[]>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { abi } = module;
  const pending = module.json(abi.ol_run_pending(run)) as Pending;
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
    module.withText(messageOf(error), (text, length) => {
      abi.ol_run_pending_fail(run, text, length);
    });
    return;
  }
  throwIfAborted(signal);
  results.forEach((value, index) => {
    if (value.kind === 'none') return;
    withValue(module, value, (pointer) => module.check(abi.ol_run_pending_output(run, index, pointer)));
  });
}
