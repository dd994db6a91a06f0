// bench: belfry verify over a million rows: reading items, enumerating the schedules and comparing them
//
// The rows come as DynamoDB's items from memory, in pages of a thousand: what the network adds is not in the figure.
// One row is taken away and one added, and both must be named.

import { readRow } from '../lib/adapters/dynamodb-run-store/dynamodb-ledger.ts';
import { runSortKey } from '../lib/domain/contract/run-table-keys.ts';
import { parseSchedule } from '../lib/domain/schedule/parse-schedule.ts';
import { formatInstant } from '../lib/domain/time/instant.ts';
import { definitionHistory } from '../lib/domain/verify/definition-history.ts';
import { JobCheck } from '../lib/domain/verify/job-check.ts';
import type { RosterEntry } from '../lib/domain/watch/watch-state.ts';

const ROWS = 1_000_000;
const PAGE = 1_000;
const DAY = 86_400_000;
const TO = Date.parse('2026-11-29T00:00:00Z');
const SCHEDULES = ['* * * * *', '*/5 * * * *', '0 * * * *', '30 2 * * *'];
const ZONES = ['UTC', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe'];

const roster: RosterEntry[] = [];
const from = TO - 90 * DAY;
const pagesOf = new Map<string, Record<string, { S: string } | { N: string }>[][]>();
let rows = 0;
for (let index = 0; rows < ROWS; index++) {
  const schedule = SCHEDULES[index % SCHEDULES.length] ?? '';
  const timeZone = ZONES[Math.floor(index / SCHEDULES.length) % ZONES.length] ?? '';
  const entry: RosterEntry = {
    name: `job-${index}`,
    schedule,
    timeZone,
    dst: { gap: 'runAfter' },
    startGraceMs: 60_000,
    retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1_000, maxDelayMs: 1_000 },
    overlap: 'skip',
    revision: 'r1',
  };
  roster.push(entry);
  const pages: Record<string, { S: string } | { N: string }>[][] = [[]];
  for (const at of parseSchedule(schedule, { timeZone, dst: entry.dst }).between(from, TO)) {
    if (rows === ROWS) break;
    if (pages.at(-1)?.length === PAGE) pages.push([]);
    pages.at(-1)?.push({
      sk: { S: runSortKey(at) },
      status: { S: 'succeeded' },
      trigger: { S: 'schedule' },
      updatedAt: { N: String(at + 5_000) },
    });
    rows += 1;
  }
  pagesOf.set(entry.name, pages);
}
// The last job may have been cut off; it is left out.
const cut = roster.pop()?.name ?? '';
rows -= pagesOf.get(cut)?.reduce((sum, page) => sum + page.length, 0) ?? 0;
const pages = pagesOf.get('job-0') ?? [];
const [gone] = pages[3]?.splice(500, 1) ?? [];
const twin = pages[5]?.[9];
if (twin?.sk !== undefined && 'S' in twin.sk) pages[5]?.splice(10, 0, { ...twin, sk: { S: `${twin.sk.S} again` } });

const histories = definitionHistory([{ roster: 'a', from, before: from }], () => roster);
const began = performance.now();
const findings = histories.flatMap((history) => {
  const check = new JobCheck(history, { from, to: TO, now: TO + DAY });
  for (const page of pagesOf.get(history.job) ?? []) check.page(page.map(readRow));
  check.end();
  return check.findings;
});
const seconds = (performance.now() - began) / 1_000;
console.log(
  `${rows.toLocaleString('en')} rows of ${histories.length} jobs in ${seconds.toFixed(2)} s, ${Math.round(rows / seconds).toLocaleString('en')} rows/s, RSS ${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MB (the rows themselves included)`,
);
for (const { kind, job, scheduledTime, detail } of findings) {
  console.log(`  ${kind} ${job} ${scheduledTime === undefined ? '' : formatInstant(scheduledTime)} (${detail})`);
}
const named = findings
  .map(({ kind }) => kind)
  .sort()
  .join();
if (named !== 'double,hole' || gone === undefined) {
  console.error(`expected one hole and one double, got: ${named}`);
  process.exitCode = 1;
}
