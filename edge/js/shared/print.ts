// Answers as lines of text.
import type { Answer, Box, Label } from './answers.js';
import { shortText } from './answers.js';
import { formatCsv } from './csv.js';

const MOST_ELEMENTS = 1000;

/** Several answers have their titles above them. Ends with a line feed. */
export function printed(answers: readonly Answer[]): string {
  const bodies = answers.map((answer) => {
    const body = bodyOf(answer);
    return answers.length === 1 || answer.kind === 'table' ? body : `${answer.title}:\n${body}`;
  });
  return bodies.join('\n');
}

function bodyOf(answer: Answer): string {
  switch (answer.kind) {
    case 'text':
      return lines(answer.texts);
    case 'labels': {
      const width = Math.max(0, ...answer.labels.map(({ label }) => label.length));
      return lines(answer.labels.map((label) => labelLine(label, width)));
    }
    case 'boxes':
      return answer.boxes.length === 0 ? 'nothing found\n' : lines(answer.boxes.map(boxLine));
    case 'mask': {
      const set = answer.values.filter((value) => value >= 0.5).length;
      const share = (100 * set) / (answer.values.length || 1);
      return `${answer.width} x ${answer.height} pixels, ${share.toFixed(1)} % of them set\n`;
    }
    case 'table':
      return formatCsv([answer.columns, ...answer.rows]);
    case 'tensor':
      return tensorLines(answer);
  }
}

function labelLine({ label, score }: Label, width: number): string {
  return score === undefined ? label : `${label.padEnd(width)}  ${score.toFixed(4)}`;
}

function boxLine({ left, top, right, bottom, label, score }: Box): string {
  const sides = [left, top, right, bottom].map((side) => side.toFixed(1)).join(' ');
  return [sides, ...(label === undefined ? [] : [label]), ...(score === undefined ? [] : [score.toFixed(4)])].join(
    '  ',
  );
}

function tensorLines({ dtype, shape, elements }: Extract<Answer, { kind: 'tensor' }>): string {
  const width = shape.at(-1) ?? 1;
  const shown = elements.slice(0, MOST_ELEMENTS).map(shortText);
  const rows = Array.from({ length: Math.ceil(shown.length / (width || 1)) }, (_, at) =>
    shown.slice(at * width, (at + 1) * width).join(' '),
  );
  const rest = elements.length - shown.length;
  return lines([
    `${dtype} [${shape.join(', ')}]`,
    ...rows,
    ...(rest > 0 ? [`... and ${rest} more; --json has all`] : []),
  ]);
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
