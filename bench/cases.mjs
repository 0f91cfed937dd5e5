// Runs jobs of tests/support/jobs.mjs on a package with onnxruntime-web's interface, and counts what each gives the GPU to do.
import { runJobs } from '/tests/support/jobs.mjs';

const SECONDS = 60; // of a job

let dispatched = 0;
for (const method of ['dispatchWorkgroups', 'dispatchWorkgroupsIndirect']) {
  const original = GPUComputePassEncoder.prototype[method];
  GPUComputePassEncoder.prototype[method] = function (...groups) {
    dispatched++;
    return original.apply(this, groups);
  };
}

const io = {
  sha256: async () => '',
};

const timeout = () => new Promise((resolve) => setTimeout(resolve, SECONDS * 1000, undefined));

/**
 * Results in order, each with `dispatched`. They end early, with `broken` in the last, where an engine does not answer or has
 * come to an end: the others want a new page.
 */
window.cases = async (url, jobs) => {
  const package_ = await import(url);
  package_.env.logLevel = 'fatal';
  const results = [];
  for (const job of jobs) {
    const before = dispatched;
    const answer = await Promise.race([runJobs([job], package_, io), timeout()]);
    const result = answer?.[0] ?? { ok: false, error: { code: 'timeout', message: `no answer in ${SECONDS} s` } };
    const broken = answer === undefined || /abort|out of bounds|unreachable|lost/i.test(result.error?.message ?? '');
    results.push({ ...result, dispatched: dispatched - before, broken });
    if (broken) break;
  }
  return results;
};
