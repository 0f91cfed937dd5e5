// An output as boxes over the picture, and as a list.
import { useMemo, useState } from 'preact/hooks';
import type { Tensor } from 'onnxlet';
import { ChosenPicture } from '../chosen-picture.js';
import type { Framed } from '../framed.js';
import { inPicture } from '../framed.js';
import type { Value } from '../run-state.js';
import { Threshold } from '../threshold.js';
import { BoxList } from './box-list.js';
import { BoxMarks } from './box-marks.js';
import type { Format, Unit } from './boxes.js';
import { boxesOf, FORMATS, partsOf, UNITS, usualFormat, usualUnit } from './boxes.js';

const THRESHOLD = 0.5;

interface Properties {
  readonly name: string;
  readonly tensor: Tensor;
  readonly outputs: Readonly<Record<string, Value>>;
  readonly framed: Framed;
}

export function OutputBoxes({ name, tensor, outputs, framed }: Properties) {
  const [format, setFormat] = useState<Format>(() => usualFormat(name));
  const [unit, setUnit] = useState<Unit>(() => usualUnit(tensor));
  const [threshold, setThreshold] = useState(THRESHOLD);
  const parts = useMemo(() => partsOf(name, tensor.dims.at(-2) ?? 0, outputs), [name, tensor, outputs]);
  const boxes = useMemo(
    () => boxesOf(tensor, parts, format, unit, framed, threshold).map((box) => inPicture(box, framed)),
    [tensor, parts, format, unit, framed, threshold],
  );
  return (
    <>
      <ChosenPicture picture={framed.picture} label={`The picture with ${boxes.length} marked`}>
        <BoxMarks boxes={boxes} picture={framed.picture} />
      </ChosenPicture>
      <BoxList boxes={boxes} />
      <div class="row">
        {parts.scores && <Threshold value={threshold} onChange={setThreshold} />}
        <Select label="Rows are" value={format} options={FORMATS} onChoice={setFormat} />
        <Select label="Numbers are" value={unit} options={UNITS} onChoice={setUnit} />
      </div>
    </>
  );
}

interface SelectProperties<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly T[];
  readonly onChoice: (value: T) => void;
}

function Select<T extends string>({ label, value, options, onChoice }: SelectProperties<T>) {
  return (
    <label class="inline">
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          onChoice(currentTarget.value as T);
        }}
      >
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}
