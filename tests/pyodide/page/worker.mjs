import { start } from './pyodide.mjs';

let place;
onmessage = async ({ data: { verb, rest } }) => {
  try {
    if (verb === 'start') place = await start(...rest);
    postMessage({ result: verb === 'start' ? null : await place[verb](...rest) });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
