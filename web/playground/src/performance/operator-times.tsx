// Time by operator and kernel.
import type { ProfileEntry } from '../model/measure.js';
import { operatorName } from '../model/types.js';
import { timeText } from '../ui/format.js';

const SHOWN = 10;

export function OperatorTimes({ profile }: { readonly profile: readonly ProfileEntry[] }) {
  const total = profile.reduce((sum, { duration }) => sum + duration, 0) || 1;
  const groups = Map.groupBy(profile, (entry) => `${operatorName(entry)}\n${entry.kernel ?? ''}`);
  const rows = [...groups]
    .map(([key, entries]) => {
      const [name = '', kernel = ''] = key.split('\n');
      return { name, kernel, count: entries.length, time: entries.reduce((sum, { duration }) => sum + duration, 0) };
    })
    .sort((a, b) => b.time - a.time);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Time by operator">
      <table>
        <thead>
          <tr>
            <th scope="col">operator</th>
            <th scope="col">kernel</th>
            <th scope="col">nodes</th>
            <th scope="col">time</th>
            <th scope="col">share</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map(({ name, kernel, count, time }) => (
            <tr key={`${name} ${kernel}`}>
              <th scope="row">{name}</th>
              <td>
                <code>{kernel || '–'}</code>
              </td>
              <td>{count}</td>
              <td>{timeText(time)}</td>
              <td>{((100 * time) / total).toFixed(1)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
