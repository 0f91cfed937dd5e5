// The classes with the highest scores.
import { useMemo, useState } from 'preact/hooks';
import type { Tensor } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';
import { FilePicker } from '../ui/file-picker.js';
import { namesInModel, namesOfText, topLabels } from './outputs.js';

const SHOWN = 5;

export function Labels({ loaded, tensor }: { readonly loaded: LoadedModel; readonly tensor: Tensor }) {
  const [given, setGiven] = useState<readonly string[]>([]);
  const { labels, softmax } = useMemo(() => {
    const own = namesInModel(loaded, tensor.size);
    return topLabels(tensor, given.length > 0 ? given : own, SHOWN);
  }, [loaded, tensor, given]);
  return (
    <>
      <ol class="labels">
        {labels.map(({ label, score }) => (
          <li key={label}>
            <span class="label-name">{label}</span>
            <meter min={0} max={1} value={score} aria-label={label} />
            <span class="label-score">{(100 * score).toFixed(1)} %</span>
          </li>
        ))}
      </ol>
      {softmax && <p class="hint">The scores are no probabilities; softmax makes these of them.</p>}
      <FilePicker
        class="small"
        label="Names of the classes"
        hint="a line each, or JSON"
        accept=".txt,.json,.names"
        onFiles={([file]) => {
          void file?.text().then((text) => {
            setGiven(namesOfText(text));
          });
        }}
      />
    </>
  );
}
