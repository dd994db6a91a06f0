import { formatInstant } from '../domain/time/instant.ts';
import type { StateFolder } from './state-folder.ts';

/** Where the clock stood when the data of an environment was last in use. */
const FILE = 'clock.json';
const DAY_MS = 86_400_000;
const FAR_MS = 2 * DAY_MS;

export function rememberClock(folder: StateFolder, now: number): void {
  try {
    folder.writeJson(FILE, { at: now });
  } catch {
    // Only a hint depends on it, and whoever cannot write here is told so elsewhere.
  }
}

/** Where the clock stood when the last run ended or, where it was killed, began. */
export function rememberedClock(folder: StateFolder): number | undefined {
  const { at } = (folder.readJson(FILE) ?? {}) as { readonly at?: unknown };
  return typeof at === 'number' ? at : undefined;
}

/**
 * What is to be said when the clock starts far from where the data ends: real and virtual time share one folder, and the
 * watchdog takes the difference for an outage.
 */
export function otherTime(folder: StateFolder, now: number): readonly string[] {
  const at = rememberedClock(folder);
  if (at === undefined) return [];
  const starts = `the clock starts at ${formatInstant(now)}`;
  if (now < at) {
    return [
      `${starts}, and the data here goes up to ${formatInstant(at)}: what ran already does not run again until then; --fresh forgets the data`,
    ];
  }
  if (now - at < FAR_MS) return [];
  const days = Math.floor((now - at) / DAY_MS).toLocaleString('en');
  return [
    `${starts}, and the data here ends ${days} days before: the watchdog goes through what was due since, and records what did not run as missed; --fresh forgets the data`,
  ];
}
