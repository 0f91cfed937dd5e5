/** What build.mjs puts into the build in one file. */
declare module 'onnxlet:inline' {
  /** A flavour of the engine, deflated, in base64. */
  export const engine: string;
  /** The script of worker.mjs. */
  export const worker: string;
}
