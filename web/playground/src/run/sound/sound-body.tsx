// A sound as an input: a file or a recording, how it looks, and how the model takes it.
import { useState } from 'preact/hooks';
import type { ValueInfo } from '../../model/types.js';
import { FilePicker } from '../../ui/file-picker.js';
import type { Choice } from '../inputs.js';
import type { Roles } from '../roles.js';
import { inputWith } from '../roles.js';
import { choose } from '../run-state.js';
import { MicrophoneButton } from './microphone.js';
import type { SoundFile } from './sound.js';
import type { SoundOptions } from './stream.js';
import { useSamples } from './use-samples.js';
import { Waveform } from './waveform.js';

interface Properties {
  readonly value: ValueInfo;
  readonly choice: Choice;
  readonly roles: Roles;
}

export function SoundBody({ value, choice, roles }: Properties) {
  const { sound, soundOptions: options } = choice;
  const samples = useSamples(sound, options.rate);
  const take = (given: SoundFile) => {
    choose(value.name, { sound: given });
  };
  const change = (changed: Partial<SoundOptions>) => {
    choose(value.name, { soundOptions: { ...options, ...changed } });
    const rate = inputWith(roles, 'rate');
    if (rate !== undefined && changed.rate !== undefined) choose(rate, { text: String(changed.rate) });
  };
  return (
    <>
      <FilePicker
        label={sound?.name ?? 'Choose a sound'}
        hint="WAV, MP3, FLAC …, or drop it here"
        accept="audio/*,.wav"
        onFiles={([file]) => {
          if (file) take({ name: file.name, file });
        }}
      />
      <MicrophoneButton onSound={take} />
      {sound && !samples && <div class="waveform" />}
      {samples && <Waveform samples={samples} duration={samples.length / options.rate} label="The sound" />}
      <div class="row">
        <NumberField
          label="Samples in a second"
          value={options.rate}
          onValue={(rate) => {
            change({ rate });
          }}
        />
        {inputWith(roles, 'state') !== undefined && (
          <>
            <NumberField
              label="in a step"
              value={options.step}
              onValue={(step) => {
                change({ step });
              }}
            />
            <NumberField
              label="of the step before"
              value={options.context}
              onValue={(context) => {
                change({ context });
              }}
            />
          </>
        )}
      </div>
    </>
  );
}

interface FieldProperties {
  readonly label: string;
  readonly value: number;
  readonly onValue: (value: number) => void;
}

/** What is being typed stays while the page draws something else. */
function NumberField({ label, value, onValue }: FieldProperties) {
  const [typed, setTyped] = useState<string>();
  return (
    <label class="inline">
      {label}
      <input
        type="number"
        min={0}
        value={typed ?? value}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
        }}
        onChange={({ currentTarget }) => {
          setTyped(undefined);
          onValue(Math.max(0, Math.round(Number(currentTarget.value))));
        }}
      />
    </label>
  );
}
