import type { Explanation } from '../session/explain.js';

interface Properties {
  readonly explanation: Explanation;
  readonly onClose?: () => void;
}

/** What went wrong and what to do, with the engine's words folded away below. */
export function Notice({ explanation: { title, advice, details }, onClose }: Properties) {
  return (
    <section class="notice" role="alert">
      <div class="notice-text">
        <h2>{title}</h2>
        <p>{advice}</p>
        {details && (
          <details open={details.length < 600}>
            <summary>What the engine says</summary>
            <pre tabIndex={0}>{details}</pre>
          </details>
        )}
      </div>
      {onClose && (
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      )}
    </section>
  );
}
