/** What js/edge.mjs puts into the page's script. */
declare module 'edge:workers' {
  /** The script that keeps the engine off the page's thread. */
  export const worker: string;
  /** The script of the engine's other threads. */
  export const thread: string;
}

/** What onnxlet/bundle/web.py writes before the service worker's script. */
declare const BUNDLE: {
  readonly name: string;
  /** SHA-256 of all that the files are. */
  readonly version: string;
  /** Hashes as in an attribute `integrity`, by name. */
  readonly files: Readonly<Record<string, string>>;
};
