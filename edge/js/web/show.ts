// Answers as elements of the page.
import type { Answer, Box, Label } from '../shared/answers.js';
import { shortText } from '../shared/answers.js';
import { formatCsv } from '../shared/csv.js';
import { element } from './dom.js';

const MOST_ROWS = 200;
const MOST_ELEMENTS = 2000;
/** Of a mask that is drawn over a picture: red, green, blue, and how much of it where the mask is 1. */
const TINT = [255, 64, 129, 160] as const;

/** @param picture where the picture that was asked about can be shown from */
export function shown(answer: Answer, picture: string | undefined): HTMLElement {
  const heading = element('h2', {}, answer.title);
  return element('section', { class: 'answer' }, heading, ...bodyOf(answer, picture));
}

/** A button that saves what `text` gives. */
export function saving(label: string, file: string, type: string, text: () => string): HTMLElement {
  const button = element('button', { type: 'button', class: 'quiet' }, label);
  button.addEventListener('click', () => {
    const address = URL.createObjectURL(new Blob([text()], { type }));
    element('a', { href: address, download: file }).click();
    URL.revokeObjectURL(address);
  });
  return button;
}

function bodyOf(answer: Answer, picture: string | undefined): HTMLElement[] {
  switch (answer.kind) {
    case 'text':
      return answer.texts.map((text) => element('p', { class: 'text' }, text));
    case 'labels':
      return [element('ol', { class: 'labels' }, ...answer.labels.map(labelRow))];
    case 'boxes':
      return [...overlaid(picture, boxesOver(answer.boxes)), boxList(answer.boxes)];
    case 'mask':
      return overlaid(picture, (size) => maskOver(answer, size));
    case 'table':
      return tableOf(answer);
    case 'tensor':
      return [tensorText(answer)];
  }
}

function labelRow({ label, score }: Label): HTMLElement {
  const name = element('span', { class: 'name' }, label);
  if (score === undefined) return element('li', {}, name);
  const share = Math.min(Math.max(score, 0), 1);
  const meter = element('meter', { min: 0, max: 1, value: share, 'aria-label': `score of ${label}` });
  return element('li', {}, name, meter, element('span', { class: 'score' }, `${(100 * score).toFixed(1)} %`));
}

interface Size {
  width: number;
  height: number;
}

/** As the file has it and the page shows it: the natural size is that after the rotation in a camera's EXIF data. */
function sizeInFile({ naturalWidth, naturalHeight, clientWidth, clientHeight }: HTMLImageElement): Size {
  const turned = (naturalWidth - naturalHeight) * (clientWidth - clientHeight) < 0;
  return turned ? { width: naturalHeight, height: naturalWidth } : { width: naturalWidth, height: naturalHeight };
}

/** The picture with something drawn over it once its size is known. */
function overlaid(picture: string | undefined, over: (size: Size) => Element): HTMLElement[] {
  if (picture === undefined) return [];
  const image = element('img', { src: picture, alt: 'The picture that was asked about' });
  const frame = element('div', { class: 'overlaid' }, image);
  image.addEventListener('load', () => {
    frame.append(over(sizeInFile(image)));
  });
  return [frame];
}

const SVG = 'http://www.w3.org/2000/svg';

function svg(name: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

function boxesOver(boxes: readonly Box[]): (size: Size) => Element {
  return ({ width, height }) => {
    const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
    const size = Math.max(width, height) / 40;
    for (const { left, top, right, bottom, label } of boxes) {
      drawing.append(svg('rect', { x: left, y: top, width: right - left, height: bottom - top }));
      const y = top > size ? top - size / 4 : bottom + size;
      if (label !== undefined) drawing.append(svg('text', { x: left, y, 'font-size': size }, label));
    }
    return drawing;
  };
}

function boxList(boxes: readonly Box[]): HTMLElement {
  if (boxes.length === 0) return element('p', {}, 'Nothing was found.');
  const rows = boxes.map(({ label = '', score, left, top, right, bottom }) => [
    label,
    score === undefined ? '' : `${(100 * score).toFixed(1)} %`,
    [left, top, right, bottom].map((side) => side.toFixed(0)).join(', '),
  ]);
  return grid(['what', 'score', 'left, top, right, bottom'], rows);
}

function maskOver({ width, height, values }: Extract<Answer, { kind: 'mask' }>, picture: Size): Element {
  const canvas = element('canvas', { width, height, role: 'img', 'aria-label': 'The mask' });
  const pixels = new ImageData(width, height);
  const [red, green, blue, most] = TINT;
  values.forEach((value, index) => {
    pixels.data.set([red, green, blue, most * Math.min(Math.max(value, 0), 1)], 4 * index);
  });
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
  canvas.style.aspectRatio = `${picture.width} / ${picture.height}`;
  return canvas;
}

function tableOf({ columns, rows, title }: Extract<Answer, { kind: 'table' }>): HTMLElement[] {
  const left = rows.length - MOST_ROWS;
  const more = left > 0 ? [element('p', { class: 'hint' }, `and ${left} more rows; the file has all of them`)] : [];
  const save = saving('Save as CSV', `${title}.csv`, 'text/csv', () => formatCsv([columns, ...rows]));
  return [grid(columns, rows.slice(0, MOST_ROWS)), ...more, save];
}

function grid(columns: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  const head = element('tr', {}, ...columns.map((name) => element('th', { scope: 'col' }, name)));
  const body = rows.map((row) => element('tr', {}, ...row.map((field) => element('td', {}, field))));
  const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Table' }, table);
}

function tensorText({ dtype, shape, elements }: Extract<Answer, { kind: 'tensor' }>): HTMLElement {
  const width = shape.at(-1) ?? 1;
  const texts = elements.slice(0, MOST_ELEMENTS).map(shortText);
  const lines = Array.from({ length: Math.ceil(texts.length / (width || 1)) }, (_, at) =>
    texts.slice(at * width, (at + 1) * width).join('  '),
  );
  const left = elements.length - texts.length;
  const text = [`${dtype} [${shape.join(', ')}]`, ...lines, ...(left > 0 ? [`… and ${left} more`] : [])].join('\n');
  return element('pre', { tabindex: 0 }, text);
}
