import { readFileSync } from 'node:fs';
import { run } from './transformers.mjs';

console.log(JSON.stringify(await run(JSON.parse(readFileSync('settings.json', 'utf8')))));
