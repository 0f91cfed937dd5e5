// Light or dark: as the system has it, until somebody chooses.
import { effect, signal } from '@preact/signals';

type Theme = 'light' | 'dark';

const KEY = 'onnxlet-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const chosen = signal<Theme | null>(stored());
const system = signal<Theme>(dark.matches ? 'dark' : 'light');
dark.addEventListener('change', ({ matches }) => {
  system.value = matches ? 'dark' : 'light';
});

/** Reads as a signal: components that draw on a canvas follow it. */
export function theme(): Theme {
  return chosen.value ?? system.value;
}

effect(() => {
  document.documentElement.dataset['theme'] = theme();
});

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null; // storage is switched off
  }
}

export function ThemeButton() {
  const other: Theme = theme() === 'dark' ? 'light' : 'dark';
  const choose = () => {
    chosen.value = other;
    try {
      localStorage.setItem(KEY, other);
    } catch {
      // Storage is switched off: it lasts until the page is closed.
    }
  };
  return (
    <button type="button" class="icon-button" aria-label={`Change to ${other} colours`} onClick={choose}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        {other === 'dark' ? (
          <path
            d="M16 11.5A6.5 6.5 0 0 1 8.5 4a6.5 6.5 0 1 0 7.5 7.5Z"
            fill="none"
            stroke="currentColor"
            stroke-width="1.6"
            stroke-linejoin="round"
          />
        ) : (
          <>
            <circle cx="10" cy="10" r="3.6" fill="none" stroke="currentColor" stroke-width="1.6" />
            <path
              d="M10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4"
              stroke="currentColor"
              stroke-width="1.6"
              stroke-linecap="round"
            />
          </>
        )}
      </svg>
    </button>
  );
}
