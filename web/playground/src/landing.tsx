// What the page shows before there is a model.
import { useEffect, useState } from 'preact/hooks';
import type { Example } from './examples.js';
import { listExamples, openExample, opening } from './examples.js';
import { FilePicker } from './ui/file-picker.js';
import { loading, openFiles } from './state.js';

export function Landing() {
  return (
    <div class="landing">
      <h1>Drop a model. See what it does.</h1>
      <p class="lead">
        Any <code>.onnx</code> file: its graph, what it takes and gives, how fast it runs. It stays on your machine.
      </p>
      <FilePicker
        class="hero-drop"
        label={loading.value === undefined ? 'Choose an .onnx file' : `Reading ${loading.value} …`}
        hint="or drop it anywhere on this page; with data files, drop them together"
        accept=".onnx,.data,.bin,.onnx_data"
        multiple
        onFiles={(files) => void openFiles(files)}
      />
      <Examples />
    </div>
  );
}

function Examples() {
  const [examples, setExamples] = useState<readonly Example[]>([]);
  useEffect(() => {
    void listExamples().then(setExamples);
  }, []);
  return (
    <section class="examples" aria-labelledby="examples">
      <h2 id="examples">{examples.length > 0 && 'Or begin with one of these'}</h2>
      <ul>
        {examples.map((example) => (
          <li key={example.model}>
            <button type="button" aria-busy={opening.value === example.title} onClick={() => void openExample(example)}>
              <strong>{example.title}</strong>
              <span>{opening.value === example.title ? 'Loading …' : example.text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
