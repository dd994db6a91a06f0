import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { DevBoard } from '../../lib/cli/print/dev-board.ts';
import { eventLine } from '../../lib/cli/print/dev-lines.ts';
import { DevTablePrinter } from '../../lib/cli/print/dev-table.ts';
import { STATUS_WORDS } from '../../lib/local/console/page/format.ts';
import type { JobLine, LocalEvent } from '../../lib/local/local-event.ts';
import { eventually } from '../support/eventually.ts';

const NOW = '2026-11-02T12:00:30Z';
const DUE = '2026-11-02T12:00:00Z';

function ready(count: number): LocalEvent {
  const jobs = Array.from({ length: count }, (_, index): JobLine => {
    const name = `tenant-${String(index).padStart(4, '0')}`;
    return { name, schedule: '0 12 * * *', timeZone: 'Europe/London', next: '2026-11-03T12:00:00Z' };
  });
  return { type: 'ready', at: '2026-11-02T11:59:00Z', jobs, endpoint: 'http://127.0.0.1:9' };
}

function fired(job: string): LocalEvent {
  return { type: 'fired', job, scheduledTime: DUE, at: DUE, next: '2026-11-03T12:00:00Z' };
}

function ran(job: string, status: string, attempt = 1): LocalEvent {
  return { type: 'run', job, scheduledTime: DUE, status, attempt, trigger: 'schedule', durationMs: 12, at: NOW };
}

function render(board: DevBoard, columns: number, rows: number): string[] {
  return stripVTControlCharacters(board.render({ columns, rows }, NOW)).split('\n');
}

test('a few jobs stay where they are, with their schedules where there is room', () => {
  const board = new DevBoard();
  board.accept(ready(3));
  board.accept(fired('tenant-0002'));
  board.accept(ran('tenant-0001', 'failed', 3));
  expect(render(board, 120, 40)).toEqual([
    '┌─────────────┬──────────────────────────┬─────────────┬──────────┬─────────┬──────────┬─────────┐',
    '│ job         │ schedule                 │ next        │ last run │ status  │ duration │ attempt │',
    '├─────────────┼──────────────────────────┼─────────────┼──────────┼─────────┼──────────┼─────────┤',
    '│ tenant-0000 │ 0 12 * * * Europe/London │ 11-03 12:00 │          │         │          │         │',
    '│ tenant-0001 │ 0 12 * * * Europe/London │ 11-03 12:00 │ 12:00:00 │ failed  │ 12 ms    │ 3       │',
    '│ tenant-0002 │ 0 12 * * * Europe/London │ 11-03 12:00 │ 12:00:00 │ running │ 30.0 s   │         │',
    '└─────────────┴──────────────────────────┴─────────────┴──────────┴─────────┴──────────┴─────────┘',
  ]);
  expect(render(board, 80, 24)[1]).toBe('│ job         │ next        │ last run │ status  │ duration │');
});

test('of more jobs than fit, what failed, is pending or runs comes first, and all are counted', () => {
  const board = new DevBoard();
  board.accept(ready(1_000));
  for (let index = 0; index < 1_000; index++) board.accept(fired(`tenant-${String(index).padStart(4, '0')}`));
  for (let index = 0; index < 998; index++) board.accept(ran(`tenant-${String(index).padStart(4, '0')}`, 'succeeded'));
  board.accept(ran('tenant-0500', 'pending'));
  board.accept(ran('tenant-0700', 'timedOut'));
  board.accept({ type: 'missed', job: 'tenant-0600', scheduledTime: DUE, cause: 'not fired', at: DUE });
  const lines = render(board, 80, 24);
  expect(lines.slice(3, 9).map((line) => line.split('│').map((cell) => cell.trim())[1])).toEqual([
    'tenant-0700',
    'tenant-0600',
    'tenant-0500',
    'tenant-0998',
    'tenant-0999',
    'tenant-0000',
  ]);
  expect(lines.at(-1)).toBe('1,000 jobs, 989 not shown: 1 timedOut, 1 missed, 1 pending, 2 running, 995 succ…');
});

test.each([
  [80, 24],
  [120, 40],
  [60, 10],
  [300, 100],
])('fits on a screen of %i x %i, with the line below and a line above', (columns, rows) => {
  for (const count of [1, 5, 17, 18, 1_000]) {
    const board = new DevBoard();
    board.accept(ready(count));
    board.accept(fired('tenant-0000'));
    const lines = render(board, columns, rows);
    expect(lines.length).toBeLessThanOrEqual(Math.max(rows - 2, 10));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  }
});

/** A terminal of that size, and what was written to it since it was last asked. */
function terminalOf(columns: number, rows: number) {
  let written = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  const terminal = Object.assign(stream as unknown as NodeJS.WriteStream, { columns, rows });
  const take = () => {
    const text = written;
    written = '';
    return text;
  };
  return { terminal, take };
}

test('the table follows the size of the terminal, whether or not anything happens', async () => {
  const { terminal, take } = terminalOf(120, 40);
  const printer = new DevTablePrinter(terminal);
  printer.print(ready(3));
  await eventually(() => expect(take()).toContain('│ schedule'));
  terminal.emit('resize', Object.assign(terminal, { columns: 60 }));
  const narrow = await eventually(() => {
    const text = take();
    expect(text).toContain('│ tenant-0002');
    return text;
  });
  expect(narrow).not.toContain('schedule');
  // Each of the eight lines was wider than that, and has become two rows.
  expect(narrow.startsWith('\x1b[16A\x1b[0J')).toBe(true);
  printer.close();
  expect(terminal.listenerCount('resize')).toBe(0);
});

test('runs that go well are counted when they are too many to be read, and what goes wrong is told each time', () => {
  const { terminal, take } = terminalOf(120, 40);
  const printer = new DevTablePrinter(terminal);
  printer.print(ready(1_000));
  for (let index = 0; index < 900; index++) printer.print(ran(`tenant-${String(index).padStart(4, '0')}`, 'succeeded'));
  for (let index = 900; index < 920; index++) printer.print(ran(`tenant-0${index}`, 'failed'));
  printer.print({ type: 'stopped', fired: 920, runs: 920, missed: 0, at: NOW });
  printer.close();
  const told = stripVTControlCharacters(take())
    .split('\n')
    .filter((line) => !line.includes('│') && line.includes(NOW));
  expect(told.filter((line) => line.includes('failed in'))).toHaveLength(20);
  const single = told.filter((line) => line.includes('succeeded in'));
  const counted = told.map((line) => Number(/ ([\d,]+) more runs succeeded/.exec(line)?.[1]?.replace(',', '') ?? 0));
  expect(single.length).toBeLessThan(50);
  expect(single.length + counted.reduce((sum, count) => sum + count, 0)).toBe(900);
});

test('a run that another attempt follows has one name: in the table, in the lines above it and in the console', () => {
  const board = new DevBoard();
  board.accept(ready(1));
  board.accept(ran('tenant-0000', 'pending'));
  expect(render(board, 80, 24)[3]).toContain('│ pending │');
  expect(stripVTControlCharacters(eventLine(ran('tenant-0000', 'pending')) ?? '')).toContain('  pending after 12 ms');
  expect(STATUS_WORDS.pending).toBe('pending');
});
