// The script of the Web Workers that belong to an engine in Pyodide: instances of its module over its shared memory.
//
// The first message starts the instance. A helper (`index`) then stays inside the engine until that is stopped; a runner
// calls exports that it is sent and answers each call with { result } or { failed }. A classic script that imports
// nothing, so that it also runs from a blob: address.
'use strict';

/** Makes the instance, on the stack and in the thread-local block that the engine has allocated for it. */
function instantiate({ module, memory, stackPointer, tlsPointer }) {
  const imports = {
    env: { memory },
    onnxlet: { ol_host_now: () => performance.now() * 1000, ol_host_log: () => {} },
  };
  const { exports } = new WebAssembly.Instance(module, imports);
  exports.__stack_pointer.value = stackPointer;
  exports.__wasm_init_tls(tlsPointer);
  return exports;
}

function help(exports, index) {
  postMessage({ entering: index });
  try {
    exports.ol_worker_main(index);
  } catch (error) {
    exports.ol_worker_failed();
    throw error;
  }
}

function serve(exports) {
  onmessage = ({ data }) => {
    try {
      postMessage({ result: exports[data.name](data.argument) });
    } catch (error) {
      postMessage({ failed: String(error) });
    }
  };
  postMessage({ entering: 0 });
}

onmessage = ({ data }) => {
  try {
    const exports = instantiate(data);
    if (data.index > 0) help(exports, data.index);
    else serve(exports);
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
