import type { ConsoleClockChange } from '../console-state.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timeZone} ${JSON.stringify(options)}`;
  let known = formats.get(key);
  if (known === undefined) {
    known = new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options });
    formats.set(key, known);
  }
  return known;
}

const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

/** `08:00:00` */
export function timeIn(timeZone: string, at: number): string {
  return format(timeZone, TIME).format(at);
}

/** `Sat 31 Oct` */
export function dayIn(timeZone: string, at: number): string {
  return format(timeZone, { weekday: 'short', day: 'numeric', month: 'short' }).format(at).replace(',', '');
}

/** The time, with the day when it is another than that of `now`. */
export function whenIn(timeZone: string, at: number, now: number): string {
  const day = dayIn(timeZone, at);
  const time = format(timeZone, { hour: '2-digit', minute: '2-digit' }).format(at);
  return day === dayIn(timeZone, now) ? time : `${day} ${time}`;
}

/** Minutes that the zone is ahead of UTC. */
export function offsetIn(timeZone: string, at: number): number {
  const name = format(timeZone, { timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** `850 ms`, `1.2 s`, `12 s`, `4 min 05 s`, `2 h 10 min`, `3 days` */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  if (seconds < 172_800)
    return `${Math.floor(seconds / 3_600)} h ${String(Math.floor((seconds % 3_600) / 60)).padStart(2, '0')} min`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** `clocks go back 1 h` */
export function shift({ shiftMinutes }: ConsoleClockChange): string {
  const minutes = Math.abs(shiftMinutes);
  const much = minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
  return `clocks go ${shiftMinutes < 0 ? 'back' : 'forward'} ${much}`;
}

export const STATUS_WORDS: { readonly [status: string]: string } = {
  succeeded: 'succeeded',
  failed: 'failed',
  timedOut: 'timed out',
  running: 'running',
  pending: 'pending',
  skipped: 'skipped',
  missed: 'missed',
  due: 'due',
};

/** So that no status is told by its colour alone. */
export const STATUS_SIGNS: { readonly [status: string]: string } = {
  succeeded: '✓',
  failed: '✕',
  timedOut: '⧖',
  running: '▸',
  pending: '↻',
  skipped: '–',
  missed: '!',
  due: '',
};
