// The JavaScript side of tests/soak: sessions that are run in turn. Used in Node (node.mjs) and in Chromium's page.
import { feedsOf } from '../support/jobs.mjs';

/** Subjects as tests/soak/__main__.py writes them: {"name", "base64", "feeds": [[VALUE...]...]}. */
export async function start(package_, subjects) {
  const { InferenceSession, Tensor, env } = package_;
  env.wasm.numThreads = 1;
  const state = { create: (bytes) => InferenceSession.create(bytes), turns: [], runs: 0, differing: 0, made: 0 };
  for (const { base64, feeds } of subjects) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const subject = { bytes, session: await state.create(bytes) };
    for (const values of feeds) {
      const fed = await feedsOf(values, Tensor, {});
      state.turns.push({ subject, fed, expected: await subject.session.run(fed) });
    }
  }
  return state;
}

/** So many runs more; now and then a session is made anew. */
export async function go(state, runs) {
  for (const end = state.runs + runs; state.runs < end; state.runs++) {
    const { subject, fed, expected } = state.turns[state.runs % state.turns.length];
    if (state.runs % 997 === 996) {
      await subject.session.release();
      subject.session = await state.create(subject.bytes);
      state.made++;
    }
    if (!same(await subject.session.run(fed), expected)) state.differing++;
  }
  const { runs: done, differing, made } = state;
  const engines = [...new Set(state.turns.map(({ subject }) => subject))].map(
    ({ session }) => session.memory.wasmBytes,
  );
  // In a page each session has an engine of its own, elsewhere they share one.
  const engine = typeof document === 'object' ? engines.reduce((sum, bytes) => sum + bytes, 0) : Math.max(...engines);
  return { runs: done, differing, made, engine };
}

function same(found, expected) {
  return Object.entries(expected).every(([name, value]) => sameValue(found[name], value));
}

function sameValue(one, other) {
  if (Array.isArray(other)) return one.length === other.length && other.every((item, i) => sameValue(one[i], item));
  if (other instanceof Map) return one.size === other.size && [...other].every(([key, item]) => one.get(key) === item);
  if (one.type !== other.type || one.data.length !== other.data.length) return false;
  return (
    other.dims.every((dim, i) => one.dims[i] === dim) && other.data.every((item, i) => Object.is(one.data[i], item))
  );
}
