import { clearScreenDown, moveCursor } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { createLogUpdate } from 'log-update';
import type { LocalEvent } from '../../local/local-event.ts';
import { DevBoard } from './dev-board.ts';
import { eventLine, paint } from './dev-lines.ts';
import type { DevPrinter } from './dev-printer.ts';

/** The table is drawn at most this often: at high speed many runs end in between. */
const REDRAW_MS = 100;
/** Runs that go well are told one by one up to this many in a second, and counted from there on. */
const MOST_LINES = 5;
const COUNTED_MS = 1_000;

/** A live table of the jobs under a line per run. */
export class DevTablePrinter implements DevPrinter {
  readonly #board = new DevBoard();
  readonly #terminal: NodeJS.WriteStream;
  readonly #screen: ReturnType<typeof createLogUpdate>;
  #events: LocalEvent[] = [];
  #footer = '';
  /** The table as it was drawn last, and how wide the terminal was. */
  #drawn = { frame: '', columns: 0 };
  #at = '';
  #timer: NodeJS.Timeout | undefined;
  /** Of the runs that went well, how many were told and how many only counted since this moment of real time. */
  #counted = { since: 0, told: 0, more: 0 };

  readonly #drawSoon = (): void => {
    this.#timer ??= setTimeout(() => this.#draw(), REDRAW_MS);
  };

  constructor(terminal: NodeJS.WriteStream = process.stdout) {
    this.#terminal = terminal;
    this.#screen = createLogUpdate(terminal);
    terminal.on('resize', this.#drawSoon);
  }

  print(event: LocalEvent): void {
    if ('at' in event) this.#at = event.at;
    this.#board.accept(event);
    if (event.type === 'ready') this.#footer = `endpoint ${event.endpoint} · Ctrl-C stops`;
    this.#events.push(event);
    if (this.#board.isEmpty || event.type === 'stopped') this.#draw();
    else this.#drawSoon();
  }

  close(): void {
    this.#terminal.off('resize', this.#drawSoon);
    this.#draw();
    this.#screen.done();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const isOver = this.#events.some(({ type }) => type === 'stopped');
    const lines = this.#count(false);
    lines.push(...this.#events.splice(0).flatMap((event) => this.#linesOf(event)));
    if (isOver) lines.push(...this.#count(true));
    const frame = this.#frame();
    // Written as one: in between, the table would be seen to be gone.
    this.#terminal.cork();
    this.#eraseWrapped();
    if (lines.length > 0) this.#screen.persist(lines.join('\n'));
    if (frame !== undefined) this.#screen(frame);
    this.#drawn = { frame: frame ?? '', columns: this.#terminal.columns ?? 80 };
    this.#terminal.uncork();
    if (this.#counted.more > 0) this.#timer = setTimeout(() => this.#draw(), COUNTED_MS);
  }

  /** A terminal that has become narrower shows the lines of the table on more rows than were drawn. */
  #eraseWrapped(): void {
    const { columns = 80 } = this.#terminal;
    const { frame, columns: before } = this.#drawn;
    if (columns >= before) return;
    const widths = stripVTControlCharacters(frame)
      .split('\n')
      .map((line) => line.length);
    const rows = widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    moveCursor(this.#terminal, 0, -rows);
    clearScreenDown(this.#terminal);
    this.#screen.done();
  }

  #frame(): string | undefined {
    if (this.#board.isEmpty) return undefined;
    const { columns = 80, rows = 24 } = this.#terminal;
    const footer = `${this.#at} · ${this.#footer}`.slice(0, columns);
    return `${this.#board.render({ columns, rows }, this.#at)}\n${paint('dim', footer)}`;
  }

  #linesOf(event: LocalEvent): string[] {
    if (event.type === 'run' && event.status === 'succeeded') {
      const isTold = this.#counted.told < MOST_LINES;
      this.#counted[isTold ? 'told' : 'more']++;
      if (!isTold) return [];
    }
    const line = eventLine(event);
    return line === undefined ? [] : [line];
  }

  /** Begins to count anew when a second is over, or all is: says how many were not told one by one. */
  #count(isOver: boolean): string[] {
    const now = performance.now();
    const { since, more } = this.#counted;
    if (!isOver && now - since < COUNTED_MS) return [];
    this.#counted = { since: now, told: 0, more: 0 };
    const runs = `${more.toLocaleString('en')} more ${more === 1 ? 'run' : 'runs'} succeeded`;
    return more === 0 ? [] : [`${paint('dim', this.#at)}  ${paint('green', runs)}`];
  }
}
