// Sessions, as programs for onnxruntime-web make, run and describe them. `model` computes y = x + x and z = -x.
import * as ort from 'onnxruntime-common';
import { InferenceSession, Tensor } from 'onnxruntime-common';
import type { OnnxValue, TypedTensor } from 'onnxruntime-common';

function describe(values: readonly InferenceSession.ValueMetadata[]): string {
  return values
    .map((value) => {
      if (!value.isTensor) return value.name;
      const type: Tensor.Type = value.type;
      const shape: ReadonlyArray<number | string> = value.shape;
      return `${value.name}: ${type}[${shape.join(', ')}]`;
    })
    .join('; ');
}

async function create(model: Uint8Array, path: string): Promise<InferenceSession[]> {
  const options: InferenceSession.SessionOptions = { executionProviders: ['wasm'], graphOptimizationLevel: 'all' };
  const padded = new Uint8Array(model.length + 8);
  padded.set(model, 8);
  const buffer: ArrayBufferLike = padded.buffer;
  return Promise.all([
    ort.InferenceSession.create(path),
    ort.InferenceSession.create(path, options),
    ort.InferenceSession.create(model),
    ort.InferenceSession.create(model, options),
    ort.InferenceSession.create(new Uint8Array(model).buffer, options),
    ort.InferenceSession.create(buffer, 8),
    ort.InferenceSession.create(buffer, 8, model.length),
    ort.InferenceSession.create(buffer, 8, model.length, options),
  ]);
}

export async function main(model: Uint8Array, path: string): Promise<unknown> {
  const sessions = await create(model, path);
  const results: unknown[] = [];
  for (const session of sessions) {
    const x: TypedTensor<'float32'> = new ort.Tensor('float32', Float32Array.from([1, 2]), [2]);
    const feeds: Record<string, ort.Tensor> = {};
    feeds[session.inputNames[0]!] = x;
    const all: InferenceSession.OnnxValueMapType = await session.run(feeds);
    const some: InferenceSession.ReturnType = await session.run(feeds, ['z'], { logSeverityLevel: 3, tag: 'a run' });
    const fetches: InferenceSession.FetchesType = { y: new Tensor('float32', new Float32Array(2), [2]), z: null };
    const written = await session.run({ x }, fetches);
    const first: OnnxValue = all['y']!;
    const data = (await first.getData()) as Float32Array;
    results.push([...data], Object.keys(some), [...(written['y']!.data as Float32Array)]);
    const withOptions = await session.run(feeds, { logVerbosityLevel: 0, terminate: false, extra: {} });
    results.push(Object.keys(withOptions).join());
  }
  const session: InferenceSession = sessions[0]!;
  const names: readonly string[] = session.outputNames;
  results.push(names, describe(session.inputMetadata), describe(session.outputMetadata));
  session.startProfiling();
  session.endProfiling();
  for (const each of sessions) await each.release();
  return results;
}
