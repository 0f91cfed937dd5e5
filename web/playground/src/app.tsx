// The page: a bar with the model's name and the views, and the view below.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentType } from 'preact';
import { CodeView } from './code/code-view.js';
import { CompareView } from './compare/compare-view.js';
import { Landing } from './landing.js';
import { ModelView } from './model/model-view.js';
import { PackView } from './pack/pack-view.js';
import { PerformanceView } from './performance/performance-view.js';
import { RunView } from './run/run-view.js';
import { announcement, closeModel, loading, model, notice, openFiles, show, view, VIEWS } from './state.js';
import type { View } from './state.js';
import { sizeText } from './ui/format.js';
import { Notice } from './ui/notice.js';
import { ThemeButton } from './ui/theme.js';

const TITLES: Readonly<Record<View, string>> = {
  model: 'Model',
  run: 'Run',
  performance: 'Performance',
  pack: 'Pack',
  compare: 'Compare',
  code: 'Code',
};
const COMPONENTS: Readonly<Record<View, ComponentType>> = {
  model: ModelView,
  run: RunView,
  performance: PerformanceView,
  pack: PackView,
  compare: CompareView,
  code: CodeView,
};

export function App() {
  const dragging = useFileDrops();
  const View = COMPONENTS[view.value];
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <Header />
      <main id="main" tabIndex={-1} aria-busy={loading.value !== undefined}>
        {notice.value && <Notice explanation={notice.value} onClose={() => (notice.value = undefined)} />}
        {model.value ? <View key={view.value} /> : <Landing />}
      </main>
      <footer class="foot">
        <p>Models and inputs stay in this page. Nothing is sent anywhere.</p>
      </footer>
      <p class="unseen" role="status">
        {announcement.value}
      </p>
      {dragging && (
        <div class="drop-veil" aria-hidden="true">
          <p>Drop it anywhere</p>
        </div>
      )}
    </>
  );
}

function Header() {
  const loaded = model.value;
  return (
    <header class="bar">
      <div class="bar-head">
        <button type="button" class="brand" onClick={closeModel} aria-label="onnxlet playground: start again">
          <img src="./icon.svg" alt="" width="26" height="26" />
          <span>onnxlet</span>
        </button>
        {loaded && (
          <p class="bar-model" title={loaded.name}>
            <strong>{loaded.name}</strong> <span>{sizeText(loaded.file.size)}</span>
          </p>
        )}
        <ThemeButton />
      </div>
      {/* Before there is a model they show what there will be, and keep the place. */}
      <Tabs open={loaded !== undefined} />
    </header>
  );
}

function Tabs({ open }: { readonly open: boolean }) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    // On narrow screens the bar is wider than the page.
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [view.value, open]);
  return (
    <nav ref={tabs} class={open ? 'tabs' : 'tabs closed'} aria-label="Views">
      {VIEWS.map((name) => (
        <button
          key={name}
          type="button"
          disabled={!open}
          aria-current={open && view.value === name ? 'page' : undefined}
          onClick={() => {
            show(name);
          }}
        >
          {TITLES[name]}
        </button>
      ))}
    </nav>
  );
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Opens models that are dropped anywhere. Whether a file is held over the page. */
function useFileDrops(): boolean {
  const [dragging, setDragging] = useState(false);
  useEffect(() => {
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setDragging(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setDragging(false);
    };
    const drop = (event: DragEvent) => {
      setDragging(false);
      if (!holdsFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      void openFiles([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return dragging;
}
