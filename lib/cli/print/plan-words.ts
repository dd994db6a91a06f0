import type { Move } from '../../domain/plan/compare-occurrences.ts';
import type { PolicyChange, PolicyValue } from '../../domain/plan/compare-policies.ts';
import { formatDuration } from './dev-lines.ts';

const MOST_SHIFTS = 3;

/** What a policy's new value means for the job's runs, where its name alone does not say it. */
const MEANING: { readonly [policy: string]: { readonly [value: string]: string } } = {
  overlap: {
    skip: 'an occurrence due while a run goes on is skipped',
    bufferOne: 'one occurrence due while a run goes on waits for its end',
    cancelOther: 'a run is stopped when the next one is due',
    allow: 'runs may go on at the same time',
  },
  'catchUp.policy': {
    none: 'what does not start in time is missed',
    latest: 'the newest occurrence that was not started in time starts late',
    all: 'occurrences that were not started in time start late',
  },
  onTimeout: {
    retry: 'an attempt that reaches its deadline is tried again',
    fail: 'a run that reaches its deadline ends',
    hold: 'a run that reaches its deadline pauses the job',
  },
  enabled: { false: 'it is never due', true: 'it is due again' },
};

/** `overlap: skip → allow (runs may go on at the same time)` */
export function policyWords({ policy, before, after }: PolicyChange): string {
  const meaning = MEANING[policy]?.[String(after)];
  const name = policy.replace(/Ms$/, '');
  return `${name}: ${valueWords(policy, before)} → ${valueWords(policy, after)}${meaning === undefined ? '' : ` (${meaning})`}`;
}

function valueWords(policy: string, value: PolicyValue | undefined): string {
  if (value === undefined) return 'not set';
  if (typeof value === 'number' && policy.endsWith('Ms')) return durationWords(value);
  return typeof value === 'object' ? value.join(' | ') : String(value);
}

/** `30 s`, `5 min`, `1 h 30 min`, `2 d 3 h` */
export function durationWords(milliseconds: number): string {
  if (milliseconds % 1_000 !== 0) return formatDuration(milliseconds);
  const seconds = milliseconds / 1_000;
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const given = parts.filter(([amount]) => amount > 0);
  return given.length === 0 ? '0 s' : given.map(([amount, unit]) => `${amount} ${unit}`).join(' ');
}

/** What follows "move": ` 5 h earlier`; where they differ, by how often: `: 6 × 5 h earlier, 4 × 4 h earlier`. */
export function shiftWords(moves: readonly Move[]): string {
  const counts = new Map<number, number>();
  for (const { from, to } of moves) counts.set(to - from, (counts.get(to - from) ?? 0) + 1);
  const shifts = [...counts].sort(([, one], [, other]) => other - one);
  const [only] = shifts;
  if (shifts.length === 1 && only !== undefined) return ` ${shift(only[0])}`;
  if (shifts.length > MOST_SHIFTS) {
    const sizes = shifts.map(([by]) => by).sort((one, other) => one - other);
    return `, ${shift(sizes[0] ?? 0)} to ${shift(sizes.at(-1) ?? 0)}`;
  }
  return `: ${shifts.map(([by, count]) => `${count.toLocaleString('en')} × ${shift(by)}`).join(', ')}`;
}

function shift(milliseconds: number): string {
  return `${durationWords(Math.abs(milliseconds))} ${milliseconds < 0 ? 'earlier' : 'later'}`;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** `Tue 2026-12-01 08:00`, in the zone. */
export function wallWords(at: number, timeZone: string): string {
  let format = FORMATS.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    FORMATS.set(timeZone, format);
  }
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${part.weekday} ${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}`;
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** `a, b, c and 7 more` */
export function listWords(names: readonly string[], most = 3): string {
  return names.length > most
    ? `${names.slice(0, most).join(', ')} and ${(names.length - most).toLocaleString('en')} more`
    : names.join(', ');
}
