// A text detector's map as the lines of text that it marks, and what a second model reads in them.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Tensor } from 'onnxlet';
import { announcement, fail } from '../../state.js';
import { FilePicker } from '../../ui/file-picker.js';
import { numbersOf } from '../../ui/statistics.js';
import { ChosenPicture } from '../chosen-picture.js';
import type { Framed, Point } from '../framed.js';
import { pointInPicture } from '../framed.js';
import { picturePart } from '../outputs.js';
import type { Reading } from './ctc.js';
import type { Reader } from './reader.js';
import { openReader, reader, readLine } from './reader.js';
import { regionsOf } from './regions.js';

interface Line {
  readonly corners: readonly Point[];
  readonly score: number;
}

export function OutputLines({ tensor, framed }: { readonly tensor: Tensor; readonly framed: Framed }) {
  const lines = useMemo(() => linesOf(tensor, framed), [tensor, framed]);
  const readings = useReadings(reader.value, framed.picture, lines);
  const used = reader.value;
  return (
    <>
      <ChosenPicture picture={framed.picture} label={`The picture with ${lines.length} lines of text marked`}>
        {lines.map(({ corners }, at) => (
          <polygon key={at} points={corners.map(({ x, y }) => `${x},${y}`).join(' ')} />
        ))}
      </ChosenPicture>
      {lines.length === 0 ? (
        <p>No lines of text were found.</p>
      ) : (
        <ol class="found text-lines" aria-label="Lines of text" aria-busy={used !== undefined && !readings}>
          {lines.map(({ corners, score }, at) => (
            <li key={at}>
              <span class="line-text">{readings?.[at]?.text ?? placeText(corners)}</span>{' '}
              <span class="hint">{(100 * (readings?.[at]?.score ?? score)).toFixed(1)} %</span>
            </li>
          ))}
        </ol>
      )}
      <FilePicker
        class="small"
        label={used ? `Read by ${used.model.name}` : 'Choose a model that reads them'}
        hint="takes a picture of one line; PaddleOCR's recognition models work"
        accept=".onnx"
        onFiles={([file]) => {
          if (file) openReader(file).catch((error: unknown) => fail(error, file.name));
        }}
      />
    </>
  );
}

/** From top to bottom, in the picture's pixels. */
function linesOf(tensor: Tensor, framed: Framed): Line[] {
  const part = picturePart(tensor);
  if (!part) return [];
  const found = regionsOf(numbersOf(tensor), part.width, part.height).map(({ corners, score }) => ({
    corners: corners.map(({ x, y }) =>
      pointInPicture({ x: (x * framed.width) / part.width, y: (y * framed.height) / part.height }, framed),
    ),
    score,
  }));
  return found.sort((a, b) => heightOf(a) - heightOf(b));
}

function heightOf({ corners }: Line): number {
  return corners.reduce((sum, { y }) => sum + y, 0) / corners.length;
}

function placeText(corners: readonly Point[]): string {
  const [left, top] = [Math.min(...corners.map(({ x }) => x)), Math.min(...corners.map(({ y }) => y))];
  const [right, bottom] = [Math.max(...corners.map(({ x }) => x)), Math.max(...corners.map(({ y }) => y))];
  return `from ${left.toFixed(0)}, ${top.toFixed(0)} to ${right.toFixed(0)}, ${bottom.toFixed(0)}`;
}

/** Undefined until all lines are read. */
function useReadings(
  used: Reader | undefined,
  picture: ImageBitmap,
  lines: readonly Line[],
): readonly Reading[] | undefined {
  const [done, setDone] = useState<{ lines: readonly Line[]; used: Reader; readings: readonly Reading[] }>();
  useEffect(() => {
    let wanted = true;
    const readAll = async (by: Reader) => {
      const readings: Reading[] = [];
      for (const { corners } of lines) {
        if (!wanted) return;
        readings.push(await readLine(by, picture, corners));
      }
      if (!wanted) return;
      setDone({ lines, used: by, readings });
      announcement.value = `Read: ${readings.map(({ text }) => text).join(', ')}`;
    };
    if (used) readAll(used).catch((error: unknown) => fail(error, used.model.name));
    return () => {
      wanted = false;
    };
  }, [used, picture, lines]);
  return done && done.lines === lines && done.used === used ? done.readings : undefined;
}
