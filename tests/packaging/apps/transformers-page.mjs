import { run } from './transformers.mjs';

globalThis.run = run;
