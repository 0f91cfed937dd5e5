// Numbers that describe something, each with its name.

interface Properties {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly small?: boolean;
}

export function Figures({ facts, small = false }: Properties) {
  return (
    <dl class={small ? 'figures small' : 'figures'}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
