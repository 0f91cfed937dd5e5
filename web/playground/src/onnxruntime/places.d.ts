// What the page and its service worker agree on; vite.config.ts has the values. The service worker is one classic script,
// which cannot import what it shares.

/** The folder, beside the page, under which supplied files appear. */
declare const SUPPLIED_FOLDER: string;
/** Where they are kept. */
declare const SUPPLIED_CACHE: string;
