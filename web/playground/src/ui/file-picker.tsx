// A browser's own field for files, looking like a place to drop them.
import { useId, useState } from 'preact/hooks';

interface Properties {
  readonly label: string;
  readonly hint?: string;
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly class?: string;
  readonly onFiles: (files: File[]) => void;
}

export function FilePicker({ label, hint, accept, multiple, class: name, onFiles }: Properties) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <div
      class={`picker ${name ?? ''} ${over ? 'over' : ''}`}
      onDragOver={() => {
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <label for={id}>{label}</label>
      {hint && <p id={`${id}-hint`}>{hint}</p>}
      <input
        type="file"
        id={id}
        accept={accept}
        multiple={multiple}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // The same file may be chosen again after it has changed.
          currentTarget.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </div>
  );
}
