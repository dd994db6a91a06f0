import Table from 'cli-table3';
import type { JobLine, LocalEvent } from '../../local/local-event.ts';
import { formatDuration, formatLocal, paintStatus } from './dev-lines.ts';

/** Of the screen, what is kept for the lines above the table when not all jobs fit. */
const LINES_ABOVE = 6;
/** Rules, the head and the line below. */
const FRAME_LINES = 6;
const FEWEST_ROWS = 3;
/** From this many columns on there is room for the schedule and the attempt. */
const WIDE_COLUMNS = 100;
const NARROWEST_TEXT = 10;

interface Row {
  readonly job: JobLine;
  next: string | undefined;
  /** Scheduled times of runs that are under way, the oldest first. */
  readonly underWay: Set<string>;
  last: Extract<LocalEvent, { type: 'run' | 'missed' }> | undefined;
}

export interface BoardSize {
  readonly columns: number;
  readonly rows: number;
}

/** All jobs and how each is doing, as a table that fits on the screen however many there are. */
export class DevBoard {
  #rows = new Map<string, Row>();

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  accept(event: LocalEvent): void {
    if (event.type === 'ready' || event.type === 'reloaded') this.#setJobs(event.jobs);
    if (!('job' in event)) return;
    const row = this.#rows.get(event.job);
    if (row === undefined) return;
    if (event.type === 'fired') {
      row.next = event.next;
      row.underWay.add(event.scheduledTime);
      return;
    }
    row.underWay.delete(event.scheduledTime);
    row.last = event;
  }

  /**
   * All jobs in the order in which they came while they fit; otherwise those first that somebody should look at, and in
   * one line below what became of all.
   *
   * @param now what the clock shows, ISO text
   */
  render(size: BoardSize, now: string): string {
    const all = [...this.#rows.values()];
    const room = Math.max(FEWEST_ROWS, size.rows - FRAME_LINES - 1);
    if (all.length <= room) return drawTable(all, size.columns, now);
    const shown = all.toSorted(byUrgency).slice(0, Math.max(FEWEST_ROWS, room - LINES_ABOVE));
    return `${drawTable(shown, size.columns, now)}\n${clip(summaryOf(all, all.length - shown.length), size.columns)}`;
  }

  #setJobs(jobs: readonly JobLine[]): void {
    const before = this.#rows;
    this.#rows = new Map(
      jobs.map((job) => {
        const { underWay = new Set<string>(), last } = before.get(job.name) ?? {};
        return [job.name, { job, next: job.next, underWay, last }];
      }),
    );
  }
}

const WRONG = new Set(['failed', 'timedOut', 'missed']);

/** 0 is what somebody should look at first. */
function urgencyOf({ underWay, last }: Row): number {
  const status = last?.type === 'run' ? last.status : last?.type;
  if (status !== undefined && WRONG.has(status)) return 0;
  if (status === 'pending') return 1;
  return underWay.size > 0 ? 2 : 3;
}

/** Among equals: the latest failure, the run under way for longest, what is due next. */
function byUrgency(left: Row, right: Row): number {
  const urgency = urgencyOf(left);
  if (urgency !== urgencyOf(right)) return urgency - urgencyOf(right);
  if (urgency < 2) return compareText(right.last?.at ?? '', left.last?.at ?? '');
  if (urgency === 2) return compareText(oldestOf(left) ?? '', oldestOf(right) ?? '');
  return compareText(left.next ?? '~', right.next ?? '~');
}

/** ISO texts of instants sort as they come in time; `~` sorts after them all. */
function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

function oldestOf({ underWay }: Row): string | undefined {
  const [oldest] = underWay;
  return oldest;
}

function statusOf({ underWay, last }: Row): string {
  if (underWay.size > 0) return 'running';
  return last === undefined ? '' : last.type === 'run' ? last.status : 'missed';
}

/** `1,000 jobs, 988 not shown: 2 failed, 14 running, 984 succeeded`. */
function summaryOf(rows: readonly Row[], notShown: number): string {
  const counts = new Map<string, number>();
  for (const row of rows.toSorted(byUrgency)) {
    const status = statusOf(row) || 'not run yet';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const parts = [...counts].map(([status, count]) => `${count.toLocaleString('en')} ${status}`);
  const [all, hidden] = [rows.length, notShown].map((count) => count.toLocaleString('en'));
  return `${all} jobs, ${hidden} not shown: ${parts.join(', ')}`;
}

function clip(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}

function drawTable(rows: readonly Row[], columns: number, now: string): string {
  const isWide = columns >= WIDE_COLUMNS;
  const lines = rows.map((row) => cellsOf(row, now));
  const heads = ['job', 'schedule', 'next', 'last run', 'status', 'duration', 'attempt'];
  const chosen = heads.map((_, index) => index).filter((index) => isWide || (index !== 1 && index !== 6));
  const widths = heads.map((head, index) => Math.max(head.length, ...lines.map((cells) => cells[index]?.length ?? 0)));
  // Each cell has a blank on both sides and a rule on its left; the table has one more on its right.
  const spare = columns - 1 - chosen.reduce((sum, index) => sum + (widths[index] ?? 0) + 3, 0);
  shrink(widths, isWide ? [1, 0] : [0], -spare);
  const table = new Table({
    head: chosen.map((index) => heads[index] ?? ''),
    colWidths: chosen.map((index) => (widths[index] ?? 0) + 2),
    style: { head: [], border: [], compact: true },
  });
  for (const cells of lines) {
    table.push(chosen.map((index) => (index === 4 ? paintStatus(cells[index] ?? '') : (cells[index] ?? ''))));
  }
  return table.toString();
}

/** Takes what is too much from the texts that may be cut. */
function shrink(widths: number[], mayBeCut: readonly number[], tooMuch: number): void {
  let rest = tooMuch;
  for (const index of mayBeCut) {
    if (rest <= 0) return;
    const width = widths[index] ?? 0;
    const less = Math.min(rest, Math.max(0, width - NARROWEST_TEXT));
    widths[index] = width - less;
    rest -= less;
  }
}

function cellsOf(row: Row, now: string): string[] {
  const { job, next, last } = row;
  const local = (instant: string | undefined) => (instant === undefined ? '' : formatLocal(instant, job.timeZone, now));
  const oldest = oldestOf(row);
  const run = oldest === undefined && last?.type === 'run' ? last : undefined;
  return [
    job.name,
    `${[job.schedule].flat().join(', ')} ${job.timeZone}`,
    next === undefined ? 'never' : local(next),
    local(oldest ?? last?.scheduledTime),
    statusOf(row),
    oldest === undefined
      ? run === undefined
        ? ''
        : formatDuration(run.durationMs)
      : formatDuration(Math.max(0, Date.parse(now) - Date.parse(oldest))),
    run === undefined ? '' : String(run.attempt),
  ];
}
