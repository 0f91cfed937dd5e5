import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './style/fonts.css';
import './style/base.css';
import './style/parts.css';
import './style/run.css';
import './style/graph.css';
import './style/views.css';
import { App } from './app.js';

const root = document.getElementById('app');
if (root) render(<App />, root);

// Over plain http from another machine there is none; the page works without.
if ('serviceWorker' in navigator) {
  addEventListener('load', () => {
    navigator.serviceWorker.register('./sw.js').catch(() => undefined);
  });
}
