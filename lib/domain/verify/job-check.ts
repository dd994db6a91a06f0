import type { Trigger } from '../job.ts';
import { isFinishedStatus, type RunStatus } from '../run/run-record.ts';
import type { JobHistory } from './definition-history.ts';
import { expectedInstants, isDue } from './expected-instants.ts';

/** A run record, as far as the proof looks at it. */
export interface LedgerRow {
  /** Epoch milliseconds; undefined when the key is not one that this project writes. */
  readonly scheduledTime: number | undefined;
  /** The key as it stands in the table. */
  readonly key: string;
  readonly status: RunStatus;
  readonly trigger: Trigger;
  readonly cause?: string;
  /** When something last happened to it, epoch milliseconds. */
  readonly updatedAt?: number;
}

export interface LedgerFinding {
  /**
   * `hole`: the job was due and has no row. `double`: a row at an instant at which the job was not due, or a second one
   * for the same instant. `unfinished`: a row that has had no outcome for longer than a day.
   */
  readonly kind: 'hole' | 'double' | 'unfinished';
  readonly job: string;
  /** Epoch milliseconds; undefined when a row's key names none. */
  readonly scheduledTime: number | undefined;
  readonly detail: string;
}

export interface LedgerWindow {
  /** Exclusive, epoch milliseconds. */
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  readonly now: number;
}

export interface LedgerCounts {
  readonly expected: number;
  readonly rows: number;
  /** Rows whose outcome is still to come. */
  readonly open: number;
  readonly byStatus: Readonly<Record<string, number>>;
}

const UNFINISHED_MS = 86_400_000;
/** The minute that EventBridge takes, and two for the sweep that follows. */
const WATCHDOG_MS = 3 * 60_000;

/** Compares one job's rows, given in the order of their keys, page by page, with the instants at which it was due. */
export class JobCheck {
  readonly findings: LedgerFinding[] = [];
  /** Instants of rows that are beyond those of the schedule, and right. */
  readonly extras: number[] = [];
  readonly #history: JobHistory;
  readonly #window: LedgerWindow;
  readonly #expected: Iterator<number>;
  #next: IteratorResult<number>;
  #last: number | undefined;
  #counts = { expected: 0, rows: 0, open: 0 };
  readonly #byStatus = new Map<string, number>();

  constructor(history: JobHistory, window: LedgerWindow) {
    const patience = Math.max(
      0,
      ...history.spans.flatMap(({ definitions }) => definitions.map((one) => one.startGraceMs)),
    );
    const to = Math.min(window.to, window.now - patience - WATCHDOG_MS);
    this.#history = history;
    this.#window = { ...window, to };
    this.#expected = expectedInstants(history.spans, window.from, to);
    this.#next = this.#expected.next();
  }

  get history(): JobHistory {
    return this.#history;
  }

  get counts(): LedgerCounts {
    return { ...this.#counts, byStatus: Object.fromEntries(this.#byStatus) };
  }

  page(rows: readonly LedgerRow[]): void {
    for (const row of rows) this.#row(row);
  }

  /** After the last page. */
  end(): void {
    this.#holesBefore(Number.POSITIVE_INFINITY);
  }

  #row(row: LedgerRow): void {
    const { scheduledTime: at } = row;
    if (at === undefined) {
      this.#find('double', undefined, `row '${row.key}' is not one that a run can have`);
      return;
    }
    if (at <= this.#window.from || at > this.#window.to) return;
    this.#counts.rows += 1;
    this.#byStatus.set(row.status, (this.#byStatus.get(row.status) ?? 0) + 1);
    this.#holesBefore(at);
    if (at === this.#last) this.#find('double', at, `row '${row.key}' is the second for this instant`);
    else if (this.#next.done !== true && this.#next.value === at) this.#due(row, at);
    else if (this.#isTolerated(row, at)) this.extras.push(at);
    else {
      this.#find('double', at, `${row.status} (${row.trigger}), and the job was not due then`);
    }
    this.#last = at;
    if (!isFinishedStatus(row.status)) this.#unfinished(row, at);
  }

  #due({ status, cause }: LedgerRow, at: number): void {
    if (status === 'skipped' && cause === 'excluded') {
      this.#find('hole', at, 'the job was due, and a definition that no longer held then had excluded this instant');
    }
    this.#advance();
  }

  #unfinished(row: LedgerRow, at: number): void {
    this.#counts.open += 1;
    const since = row.updatedAt ?? at;
    if (this.#window.now - since > UNFINISHED_MS) {
      this.#find('unfinished', at, `${row.status} since ${new Date(since).toISOString()}, without an outcome`);
    }
  }

  #holesBefore(at: number): void {
    while (this.#next.done !== true && this.#next.value < at) {
      this.#find('hole', this.#next.value, 'the job was due, and no row says what became of it');
      this.#advance();
    }
  }

  #advance(): void {
    this.#counts.expected += 1;
    this.#next = this.#expected.next();
  }

  /** Rows beyond those of the schedule that are as they should be. */
  #isTolerated({ status, trigger, cause }: LedgerRow, at: number): boolean {
    if (trigger === 'manual' || trigger === 'backfill') return true;
    if (status === 'skipped' && (cause === 'excluded' || cause === 'superseded')) return true;
    const { spans, unsure } = this.#history;
    return (
      unsure.some(({ from, until }) => at > from && at <= until) &&
      spans.some(({ definitions }) => definitions.some((one) => isDue(one, at)))
    );
  }

  #find(kind: LedgerFinding['kind'], scheduledTime: number | undefined, detail: string): void {
    this.findings.push({ kind, job: this.#history.job, scheduledTime, detail });
  }
}

/**
 * The findings of all jobs, without those that explain each other: an occurrence that was open while its job was renamed
 * has its row under the one name or the other.
 */
export function reconcileRenamed(checks: readonly JobCheck[]): readonly LedgerFinding[] {
  const findings = checks.flatMap((check) => check.findings);
  const heirs = new Map(
    checks.flatMap(({ history: { job, heir } }) => (heir === undefined ? [] : [[job, heir] as const])),
  );
  if (heirs.size === 0) return findings;
  const doubles = new Set(findings.filter(({ kind }) => kind === 'double').map(idOf));
  const rows = new Set([
    ...doubles,
    ...checks.flatMap(({ history: { job }, extras }) => extras.map((scheduledTime) => idOf({ job, scheduledTime }))),
  ]);
  const explained = new Set<string>();
  for (const finding of findings) {
    if (finding.kind !== 'hole') continue;
    const elsewhere = otherNames(finding.job, heirs)
      .map((job) => idOf({ ...finding, job }))
      .find((id) => rows.has(id) && !explained.has(id));
    if (elsewhere === undefined) continue;
    explained.add(elsewhere);
    explained.add(idOf(finding));
  }
  return findings.filter((finding) => finding.kind === 'unfinished' || !explained.has(idOf(finding)));
}

function idOf({ job, scheduledTime }: Pick<LedgerFinding, 'job' | 'scheduledTime'>): string {
  return `${job}@${scheduledTime}`;
}

/** What else the job was and is called; a name may have been changed more than once. */
function otherNames(job: string, heirs: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([job]);
  for (let before = 0; before < names.size; ) {
    before = names.size;
    for (const [name, heir] of heirs) {
      if (names.has(name)) names.add(heir);
      if (names.has(heir)) names.add(name);
    }
  }
  return [...names].filter((name) => name !== job);
}
