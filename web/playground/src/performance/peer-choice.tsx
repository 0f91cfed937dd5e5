// Lets somebody supply onnxruntime-web, which the page does not ship.
import { useEffect } from 'preact/hooks';
import { findSupplied, forget, supplied, supply } from '../onnxruntime/package.js';
import { fail, notice } from '../state.js';
import { FilePicker } from '../ui/file-picker.js';

export function PeerChoice() {
  useEffect(() => {
    void findSupplied();
  }, []);
  const choose = async (files: File[]) => {
    notice.value = undefined;
    try {
      await supply(files);
    } catch (error) {
      fail(error, files[0]?.name);
    }
  };
  if (supplied.value) {
    return (
      <p class="peer-choice hint">
        It is measured beside onnxruntime-web ({supplied.value.entry}), which this browser keeps.{' '}
        <button type="button" class="quiet" onClick={() => void forget()}>
          Forget it
        </button>
      </p>
    );
  }
  return (
    <details class="peer-choice">
      <summary>Beside onnxruntime-web</summary>
      <FilePicker
        class="small"
        label="Choose its files"
        hint="ort.wasm.min.mjs, ort-wasm-simd-threaded.mjs and ort-wasm-simd-threaded.wasm, from the folder dist of the npm package; they stay in this browser"
        accept=".mjs,.wasm"
        multiple
        onFiles={(files) => void choose(files)}
      />
    </details>
  );
}
