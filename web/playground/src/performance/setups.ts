// The ways in which this browser can run a model.
import { detectFeatures } from 'onnxlet';
import type { Setup } from '../session/engine.js';

export interface Offer extends Setup {
  /** Why it cannot be had here. */
  readonly refusal?: string;
}

export function offers(): Offer[] {
  const { simd, relaxedSimd, threads } = detectFeatures();
  const many = Math.max(2, Math.min(4, Math.ceil(navigator.hardwareConcurrency / 2)));
  const isolation = crossOriginIsolated ? 'this browser has no threads' : 'the page is not cross-origin isolated';
  return [
    { label: 'Without SIMD', threads: 1, simd: false },
    { label: 'SIMD', threads: 1, simd: 'fixed', ...(simd ? {} : { refusal: 'this browser has no SIMD' }) },
    {
      label: 'Relaxed SIMD',
      threads: 1,
      simd: 'relaxed',
      ...(relaxedSimd ? {} : { refusal: 'this browser has no relaxed SIMD' }),
    },
    { label: `${many} threads`, threads: many, simd: 'relaxed', ...(threads ? {} : { refusal: isolation }) },
    {
      label: 'WebGPU',
      threads: 1,
      simd: 'relaxed',
      webgpu: true,
      ...('gpu' in navigator ? {} : { refusal: 'this browser has no WebGPU' }),
    },
  ];
}

/** What is measured unless somebody chooses: the slow one is for the curious. */
export function usual(offer: Offer): boolean {
  return offer.refusal === undefined && offer.simd !== false;
}
