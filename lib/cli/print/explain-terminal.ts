import { styleText } from 'node:util';
import { formatEvery } from '../../domain/schedule/parse-every.ts';
import type { AwsSchedule } from '../../domain/translation/aws-schedule.ts';
import type { Explanation } from '../../domain/translation/explain-schedule.ts';
import { calendarLines } from './explain-calendar.ts';

export interface TerminalOptions {
  readonly from: number;
  readonly tzdata: string | undefined;
  /** Colours are used if this stream and NO_COLOR allow them. */
  readonly stream: NodeJS.WritableStream;
}

const LABEL_WIDTH = 12;

/** An explanation for a person in front of a terminal. */
export function explanationText(explanation: Explanation, { from, tzdata, stream }: TerminalOptions): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    styleText(style, text, { stream, validateStream: true });
  const { schedule, description, aws, next, warnings, transitions } = explanation;
  const label = (text: string) => paint('dim', text.padEnd(LABEL_WIDTH));
  const indent = ' '.repeat(LABEL_WIDTH);
  const lines: string[] = [
    `${label('schedule')}${paint('bold', schedule.expressions.join('  '))}`,
    `${label('means')}${description}`,
    `${label('time zone')}${schedule.timeZone}${tzdata === undefined ? '' : paint('dim', ` (tz database ${tzdata})`)}`,
  ];
  lines.push(...column('EventBridge', aws.length === 0 ? ['none'] : aws.map(awsText)));
  const format = wallClock(schedule.timeZone);
  lines.push(
    ...column(
      'next',
      next.length === 0
        ? ['never']
        : next.map((instant) => `${paint('green', format(instant))} ${paint('dim', new Date(instant).toISOString())}`),
    ),
  );
  const calendar = calendarLines(schedule, from, {
    due: (text) => paint(['bold', 'green'], text),
    idle: (text) => paint('dim', text),
  });
  lines.push('', ...calendar.map((line) => `${indent}${line}`), '');
  if (transitions.length > 0) {
    lines.push(
      ...column(
        'clock',
        transitions.map(
          ({ at, kind, wallTimes, does }) =>
            `${(wallTimes[0] ?? new Date(at).toISOString()).slice(0, 10)} ${paint('yellow', kind.padEnd(4))} ${does}`,
        ),
      ),
    );
  }
  lines.push(
    ...column(
      'note',
      warnings.map(({ code, message }) => `${message} ${paint('dim', `[${code}]`)}`),
    ),
  );
  return `${lines.join('\n')}\n`;

  function column(name: string, texts: readonly string[]): string[] {
    return texts.map((text, index) => `${index === 0 ? label(name) : indent}${text}`);
  }
}

function awsText({ expression, timeZone, startAt, everyMs }: AwsSchedule): string {
  const start = startAt === undefined ? '' : `  from ${new Date(startAt).toISOString()}`;
  const counted = everyMs === undefined ? '' : `  of which only every ${formatEvery(everyMs)} since the epoch counts`;
  return `${expression}  ${timeZone}${start}${counted}`;
}

/** Weekday, date, time and offset on the zone's clock. */
function wallClock(timeZone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
    const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
    return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')} ${offset}`;
  };
}
