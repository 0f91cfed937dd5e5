import { env } from './env.js';
import type { LogLevel } from './env.js';

const SEVERITY: Readonly<Record<LogLevel, number>> = { verbose: 0, info: 1, warning: 2, error: 3, fatal: 4 };

/** Where messages go instead of the console: a worker hands them to the page, which may listen to its own console. */
export const forward: { to?: (level: LogLevel, message: string) => void } = {};

export function log(level: LogLevel, message: string): void {
  if (SEVERITY[level] < SEVERITY[env.logLevel]) return;
  if (forward.to) {
    forward.to(level, message);
    return;
  }
  const line = `onnxlet: ${message}`;
  if (level === 'warning') console.warn(line);
  else if (level === 'error' || level === 'fatal') console.error(line);
  else console.info(line);
}

const said = new Set<string>();

/** A warning that repeats itself with every session is said once. */
export function warnOnce(message: string): void {
  if (said.has(message)) return;
  said.add(message);
  log('warning', message);
}
