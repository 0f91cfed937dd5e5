// The score from which on something counts.

interface Properties {
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
  readonly onChange: (value: number) => void;
}

export function Threshold({ value, least = 0, most = 1, onChange }: Properties) {
  return (
    <label class="inline">
      Threshold
      <input
        type="range"
        min={least}
        max={most}
        step={0.05}
        value={value}
        onInput={({ currentTarget }) => {
          onChange(Number(currentTarget.value));
        }}
      />
      {value.toFixed(2)}
    </label>
  );
}
