import { styleText } from 'node:util';
import type { LocalEvent } from '../../local/local-event.ts';

type Style = Parameters<typeof styleText>[0];

const STATUS_STYLE: { readonly [status: string]: Style } = {
  succeeded: 'green',
  failed: 'red',
  timedOut: 'red',
  missed: 'red',
  pending: 'yellow',
  running: 'cyan',
  skipped: 'dim',
};

/** Colours for stdout, where it shows colours. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

export function paintStatus(status: string): string {
  return paint(STATUS_STYLE[status] ?? 'reset', status);
}

/** `850 ms`, `1.5 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1_000)} s`;
}

/**
 * The instant in a job's own zone, short: `08:00:00` on the same day as `today` there, `12-01 08:00` on another of the
 * year, otherwise `2099-01-01`.
 */
export function formatLocal(instant: string, timeZone: string, today: string): string {
  const parts = (iso: string) => {
    const text = new Date(iso).toLocaleString('sv-SE', { timeZone });
    return { year: text.slice(0, 4), date: text.slice(0, 10), time: text.slice(11, 19) };
  };
  const [then, now] = [parts(instant), parts(today)];
  if (then.date === now.date) return then.time;
  return then.year === now.year ? `${then.date.slice(5)} ${then.time.slice(0, 5)}` : then.date;
}

/** One event as a line for people; undefined for what needs none. */
export function eventLine(event: LocalEvent): string | undefined {
  switch (event.type) {
    case 'ready':
      return undefined;
    case 'fired':
    case 'event':
      return undefined;
    case 'reloaded': {
      const what = event.summary.length === 0 ? '' : `: ${event.summary.join('; ')}`;
      return `${paint('dim', event.at)}  ${paint('cyan', 'reloaded')}${what}`;
    }
    case 'run': {
      const attempt = event.attempt > 1 || event.status === 'pending' ? `, attempt ${event.attempt}` : '';
      const trigger = event.trigger === 'schedule' ? '' : `, ${event.trigger}`;
      const error = event.error === undefined ? '' : paint('red', `  ${event.error.split('\n', 1)[0]}`);
      const took = event.status === 'pending' ? 'after' : 'in';
      return `${paint('dim', event.at)}  ${event.job}  ${event.scheduledTime}  ${paintStatus(event.status)} ${took} ${formatDuration(event.durationMs)}${attempt}${trigger}${error}`;
    }
    case 'missed':
      return `${paint('dim', event.at)}  ${event.job}  ${event.scheduledTime}  ${paint('red', 'missed')}: ${event.cause}`;
    case 'alarm': {
      const state = paint(event.state === 'ALARM' ? ['red', 'bold'] : 'green', event.state);
      return `${paint('dim', event.at)}  alarm ${event.name} (${event.severity}) is ${state}: ${event.reason}`;
    }
    case 'stopped':
      return `stopped at ${event.at}: ${event.fired} fired, ${event.runs} ${event.runs === 1 ? 'attempt' : 'attempts'} ended, ${event.missed} missed`;
    case 'note':
      return event.level === 'info' ? event.text : paint(event.level === 'error' ? 'red' : 'yellow', event.text);
  }
}
