import { Command } from 'commander';
import { DynamoDbLedger } from '../adapters/dynamodb-run-store/dynamodb-ledger.ts';
import { BelfryError } from '../domain/errors.ts';
import { definitionHistory, type JobHistory } from '../domain/verify/definition-history.ts';
import {
  JobCheck,
  type LedgerFinding,
  type LedgerRow,
  type LedgerWindow,
  reconcileRenamed,
} from '../domain/verify/job-check.ts';
import type { RosterEntry } from '../domain/watch/watch-state.ts';
import { assertKnown, carryOut } from './carry-out.ts';
import { type InstantOption, parseInstantOption } from './instant-option.ts';
import { ProgressBar } from './print/progress-bar.ts';
import { verifyJson, verifyText } from './print/verify-report.ts';
import { type Target, type TargetFlags, withTarget } from './target.ts';

interface VerifyFlags extends TargetFlags {
  readonly from?: InstantOption;
  readonly to?: InstantOption;
  readonly job?: string;
  readonly json: boolean;
}

export interface Proof {
  readonly window: LedgerWindow;
  readonly findings: readonly LedgerFinding[];
  readonly jobs: number;
  readonly expected: number;
  readonly rows: number;
  readonly open: number;
  readonly byStatus: Readonly<Record<string, number>>;
}

/** A day less than run records are kept. */
const KEPT_MS = 89 * 86_400_000;
const WATCHDOG_AT_WORK_MS = 10 * 60_000;
/** Jobs read at a time: their pages come one after the other, and each waits for the network. */
const JOBS_AT_A_TIME = 8;

/** `belfry verify`: proves that every occurrence has exactly one disposition, or names what is lacking. */
export function verifyCommand(): Command {
  return withTarget(new Command('verify'))
    .description(
      'prove the ledger complete: every occurrence of every job has exactly one row; or name each hole and double',
    )
    .option(
      '--from <instant>',
      'begin there, or so long ago: 24h, 7d (default: where the ledger begins, at most 89 days ago)',
      parseInstantOption,
    )
    .option('--to <instant>', 'end there (default: now)', parseInstantOption)
    .option('--job <name>', 'one job only')
    .option('--json', 'one JSON object on stdout', false)
    .action(async (flags: VerifyFlags) => {
      process.exitCode = await carryOut(flags, (target) => verify(target, flags));
    });
}

/** Returns the exit code: 0 proved, 1 something is lacking. */
async function verify(target: Target, flags: VerifyFlags): Promise<number> {
  const bar = new ProgressBar(process.stderr, 'verify');
  const ledger = new DynamoDbLedger(target.client, target.tableName);
  try {
    const proof = await prove(
      flags.local ? sweptBy(target) : target,
      flags,
      (job, range) => ledger.rows(job, range),
      (done, rows) => bar.show(done, `${rows.toLocaleString('en')} rows`),
    );
    bar.clear();
    process.stdout.write(flags.json ? `${JSON.stringify(verifyJson(proof))}\n` : verifyText(proof, target.environment));
    return proof.findings.length === 0 ? 0 : 1;
  } finally {
    bar.clear();
  }
}

/** A watchdog here may have weeks of a virtual clock to catch up on: what it has not looked at yet is no hole. */
function sweptBy(target: Target): Target {
  const { state, now } = target;
  return state === undefined ? target : { ...target, now: Math.min(now, state.sweptAt + 60_000) };
}

export type RowSource = (
  job: string,
  range: { readonly from: number; readonly to: number },
) => AsyncIterable<readonly LedgerRow[]>;

/**
 * Compares what the schedules ask for with what stands in the ledger.
 * @param onProgress from 0 to 1
 */
export async function prove(
  target: Pick<Target, 'state' | 'watchStore' | 'jobs' | 'now' | 'environment'>,
  flags: Pick<VerifyFlags, 'from' | 'to' | 'job'>,
  rowsOf: RowSource,
  onProgress: (done: number, rows: number) => void,
): Promise<Proof> {
  const histories = await loadHistories(target, flags.job);
  const window = windowOf(target, flags);
  const progress = new Map<string, number>();
  let rows = 0;
  const checks: JobCheck[] = [];
  const waiting = histories.values();
  const work = async () => {
    for (const history of waiting) {
      const check = new JobCheck(history, window);
      checks.push(check);
      for await (const page of rowsOf(history.job, window)) {
        check.page(page);
        rows += page.length;
        const last = page.at(-1)?.scheduledTime ?? window.from;
        progress.set(history.job, (last - window.from) / (window.to - window.from));
        onProgress([...progress.values()].reduce((sum, one) => sum + one, 0) / histories.length, rows);
      }
      check.end();
      progress.set(history.job, 1);
    }
  };
  await Promise.all(Array.from({ length: JOBS_AT_A_TIME }, work));
  const counts = checks.map((check) => check.counts);
  const total = (pick: (count: (typeof counts)[number]) => number) => counts.reduce((sum, one) => sum + pick(one), 0);
  const byStatus: Record<string, number> = {};
  for (const count of counts) {
    for (const [status, number] of Object.entries(count.byStatus)) byStatus[status] = (byStatus[status] ?? 0) + number;
  }
  const owed = owedByWatchdog(target);
  const all = reconcileRenamed(checks);
  const findings = all.filter(
    ({ kind, job, scheduledTime }) => kind !== 'hole' || !owed.has(`${job}@${scheduledTime}`),
  );
  return {
    window,
    findings: findings.sort((a, b) => a.job.localeCompare(b.job) || (a.scheduledTime ?? 0) - (b.scheduledTime ?? 0)),
    jobs: histories.length,
    expected: total(({ expected }) => expected) - (all.length - findings.length),
    rows: total((count) => count.rows),
    open: total(({ open }) => open) + all.length - findings.length,
    byStatus,
  };
}

/**
 * Occurrences that have no row yet because they are to start late: no holes, as long as the watchdog that is to start them
 * is at work.
 */
function owedByWatchdog({ state, now }: Pick<Target, 'state' | 'now'>): ReadonlySet<string> {
  if (state === undefined || now - state.sweptAt > WATCHDOG_AT_WORK_MS) return new Set();
  return new Set(state.open.filter((one) => !one.adopted).map(({ job, scheduledTime }) => `${job}@${scheduledTime}`));
}

async function loadHistories(
  { state, watchStore, environment, jobs }: Pick<Target, 'state' | 'watchStore' | 'environment' | 'jobs'>,
  only: string | undefined,
): Promise<readonly JobHistory[]> {
  if (state === undefined) {
    throw new BelfryError(
      'NothingPromised',
      `the watchdog of ${environment} has not looked once, so nothing is promised yet: see 'belfry doctor --environment ${environment}'`,
    );
  }
  const rosters = new Map<string, readonly RosterEntry[]>();
  for (const { roster } of state.epochs) rosters.set(roster, await watchStore.loadRoster(roster));
  const histories = definitionHistory(state.epochs, (digest) => rosters.get(digest) ?? []);
  if (only === undefined) return histories;
  const names = histories.map(({ job }) => job);
  assertKnown({ environment, jobs } as Target, only, names);
  return histories.filter(({ job, heir }) => job === only || heir === only);
}

function windowOf(
  { state, now }: Pick<Target, 'state' | 'now'>,
  { from, to }: Pick<VerifyFlags, 'from' | 'to'>,
): LedgerWindow {
  // Older rows are on their way out of the table: their absence proves nothing.
  const begin = Math.max(state?.epochs[0]?.from ?? now, now - KEPT_MS);
  const window = { from: Math.max(begin, from?.(now) ?? begin), to: Math.min(now, to?.(now) ?? now), now };
  if (window.from >= window.to) {
    throw new BelfryError(
      'EmptyRange',
      `nothing lies between ${new Date(window.from).toISOString()}, where the ledger or --from begins, and ${new Date(window.to).toISOString()}: give an earlier --from or a later --to`,
    );
  }
  return window;
}
