// Programs for the open model, to copy, and a folder to take away.
import { useState } from 'preact/hooks';
import { sizes } from '../run/run-state.js';
import { announcement, fail, model } from '../state.js';
import { saveFile } from '../ui/save.js';
import { exportFolder } from './export.js';
import type { Language } from './snippets.js';
import { LANGUAGES, snippet } from './snippets.js';

export function CodeView() {
  const loaded = model.value;
  const [language, setLanguage] = useState<Language>('JavaScript');
  const [busy, setBusy] = useState(false);
  if (!loaded) return null;
  const text = snippet(language, loaded, sizes.value);
  const save = async () => {
    setBusy(true);
    try {
      const archive = await exportFolder(loaded, sizes.value);
      saveFile(`${loaded.name.replace(/\.onnx$/i, '')}-site.zip`, [archive], 'application/zip');
    } catch (error) {
      fail(error, loaded.name);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="code-view">
      <h1 class="unseen">Code</h1>
      <section class="card">
        <div class="card-head">
          <div class="segments" role="radiogroup" aria-label="Language">
            {LANGUAGES.map((each) => (
              <label key={each} class={each === language ? 'on' : ''}>
                <input type="radio" name="language" checked={each === language} onChange={() => setLanguage(each)} />
                {each}
              </label>
            ))}
          </div>
          <CopyButton text={text} />
        </div>
        <pre class="code" tabIndex={0} aria-label={`Program in ${language}`}>
          {text}
        </pre>
        <p class="hint">Sizes are those of the Run view; fill the arrays with your data.</p>
      </section>
      <section class="card">
        <h2>Take it away</h2>
        <p>
          A folder with this model, the program and the engine. Unpack it on any web server; it asks nobody else for
          anything.
        </p>
        <button type="button" class="main" disabled={busy} onClick={() => void save()}>
          {busy ? 'Packing …' : 'Save as a site'}
        </button>
        <p class="hint">
          For Node, Python, WASI or a program of its own:{' '}
          <code>onnxlet bundle {loaded.name} -o out --target native</code>
        </p>
      </section>
    </div>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState<string>();
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(text);
        announcement.value = 'Copied';
      },
      () => fail(new Error('The browser does not let this page copy. Select the text and copy it by hand.')),
    );
  };
  return (
    <button type="button" class="quiet" onClick={copy}>
      {copied === text ? 'Copied' : 'Copy'}
    </button>
  );
}
