// An output that has a value for each moment of a sound: over the sound, with what is above a threshold marked and listed.
import { useMemo, useState } from 'preact/hooks';
import type { Tensor } from 'onnxlet';
import { numbersOf, summaryOf } from '../../ui/statistics.js';
import { Curve } from '../output-numbers.js';
import type { Heard } from '../run-state.js';
import { Threshold } from '../threshold.js';
import { segmentsOf } from './segments.js';
import { Waveform } from './waveform.js';

const THRESHOLD = 0.5;
const SHARES = [0, 1] as const;

export function OutputSpeech({ tensor, heard }: { readonly tensor: Tensor; readonly heard: Heard }) {
  const [threshold, setThreshold] = useState(THRESHOLD);
  const { samples, rate } = heard;
  const duration = samples.length / rate;
  const { series, values, least, most } = useMemo(() => {
    const numbers = numbersOf(tensor);
    return { series: tensor.reshape([tensor.size]), values: numbers, ...summaryOf(numbers) };
  }, [tensor]);
  const probable = least >= 0 && most <= 1;
  const seconds = heard.step === undefined ? duration / values.length : heard.step / rate;
  const found = useMemo(
    () => (probable ? segmentsOf(values, seconds, duration, threshold) : []),
    [values, probable, seconds, duration, threshold],
  );
  return (
    <div class="speech">
      <Waveform samples={samples} duration={duration} marks={found} label="The sound" />
      <Curve tensor={series} {...(probable ? { range: SHARES } : {})} />
      {probable && (
        <>
          <Threshold value={threshold} least={0.05} most={0.95} onChange={setThreshold} />
          {found.length === 0 ? (
            <p>Nothing reaches the threshold.</p>
          ) : (
            <ol class="found" aria-label="Where the threshold is reached">
              {found.map(({ start, end }) => (
                <li key={start}>
                  {start.toFixed(2)} s to {end.toFixed(2)} s
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </div>
  );
}
