// The machine's peak, measured between the rounds of a benchmark with the module of onnxlet/hosts/peak.py.

/**
 * job: {files, rounds, flops, bytes}: the module's forms, the fastest first (the host may refuse one), how many rounds a sample
 * takes, and what one round computes and one copy moves. `read(file)` gives a file's bytes.
 */
export async function startPeak(job, read) {
  const instances = await instancesOf(job, read);
  const best = { gflops: 0, gigabytes: 0 };
  const rate = (work, amount) => {
    const began = performance.now();
    work();
    return amount / (performance.now() - began) / 1e6;
  };
  return {
    best,
    sample() {
      for (const { flops } of instances) {
        best.gflops = Math.max(
          best.gflops,
          rate(() => flops(job.rounds), job.rounds * job.flops),
        );
      }
    },
    sampleMemory() {
      const { copy } = instances[0];
      best.gigabytes = Math.max(best.gigabytes, rate(copy, job.bytes));
    },
  };
}

// One set for all jobs of a process or page: each instance takes address space, which a page has little of.
let made;

async function instancesOf(job, read) {
  made ??= instantiate(job, read);
  return made;
}

async function instantiate(job, read) {
  const instances = [];
  for (const file of job.files) {
    try {
      const { instance } = await WebAssembly.instantiate(await read(file), {});
      instances.push(instance.exports);
    } catch (error) {
      if (!(error instanceof WebAssembly.CompileError)) throw error;
    }
  }
  // Compiled in full, and its pages handed out, before anything counts.
  for (const { flops } of instances) flops(job.rounds);
  instances[0]?.copy();
  return instances;
}
