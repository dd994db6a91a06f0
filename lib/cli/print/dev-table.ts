import Table from 'cli-table3';
import { createLogUpdate } from 'log-update';
import type { JobLine, LocalEvent } from '../../local/local-event.ts';
import { eventLine, formatDuration, formatLocal, paint, paintStatus } from './dev-lines.ts';
import type { DevPrinter } from './dev-printer.ts';

/** The table is drawn at most this often: at high speed many runs end in between. */
const REDRAW_MS = 100;

interface Row {
  readonly job: JobLine;
  next: string | undefined;
  running: number;
  last?: Extract<LocalEvent, { type: 'run' | 'missed' }>;
}

/** A live table of the jobs under a line per run. */
export class DevTablePrinter implements DevPrinter {
  readonly #rows = new Map<string, Row>();
  readonly #screen = createLogUpdate(process.stdout);
  #lines: string[] = [];
  #footer = '';
  #at = '';
  #timer: NodeJS.Timeout | undefined;

  print(event: LocalEvent): void {
    if ('at' in event) this.#at = event.at;
    this.#note(event);
    const line = eventLine(event);
    if (line !== undefined) this.#lines.push(line);
    if (this.#rows.size === 0 || event.type === 'stopped') this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), REDRAW_MS);
  }

  close(): void {
    this.#draw();
    this.#screen.done();
  }

  #note(event: LocalEvent): void {
    if (event.type === 'ready' || event.type === 'reloaded') this.#setJobs(event.jobs);
    if (event.type === 'ready') {
      this.#footer = `endpoint ${event.endpoint} · Ctrl-C stops`;
    }
    if (!('job' in event)) return;
    const row = this.#rows.get(event.job);
    if (row === undefined) return;
    if (event.type === 'fired') {
      row.next = event.next;
      row.running++;
    } else {
      if (event.type === 'run') row.running = Math.max(0, row.running - 1);
      row.last = event;
    }
  }

  #setJobs(jobs: readonly JobLine[]): void {
    const before = new Map(this.#rows);
    this.#rows.clear();
    for (const job of jobs) {
      this.#rows.set(job.name, { running: 0, ...before.get(job.name), job, next: job.next });
    }
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length > 0) {
      this.#screen.clear();
      process.stdout.write(`${this.#lines.join('\n')}\n`);
      this.#lines = [];
    }
    if (this.#rows.size > 0) this.#screen(`${this.#table()}\n${paint('dim', `${this.#at} · ${this.#footer}`)}`);
  }

  #table(): string {
    const table = new Table({
      head: ['job', 'schedule', 'next', 'last run', 'status', 'duration', 'attempt'],
      style: { head: [], border: [], compact: true },
    });
    const height = Math.max(3, (process.stdout.rows ?? 40) - 8);
    const rows = [...this.#rows.values()];
    for (const { job, next, running, last } of rows.slice(0, height)) {
      const local = (instant: string) => formatLocal(instant, job.timeZone, this.#at);
      table.push([
        job.name,
        `${[job.schedule].flat().join(', ')} ${paint('dim', job.timeZone)}`,
        next === undefined ? paint('dim', 'never') : local(next),
        last === undefined ? '' : local(last.scheduledTime),
        running > 0
          ? paint('cyan', 'running')
          : last === undefined
            ? ''
            : paintStatus(last.type === 'run' ? last.status : 'missed'),
        last?.type === 'run' ? formatDuration(last.durationMs) : '',
        last?.type === 'run' ? String(last.attempt) : '',
      ]);
    }
    const more = rows.length > height ? `\n${paint('dim', `and ${rows.length - height} more jobs`)}` : '';
    return `${table.toString()}${more}`;
  }
}
