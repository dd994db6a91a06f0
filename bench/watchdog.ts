// bench: a sweep over 10,000 jobs: wall time, memory, read and write units; and the same with ten times the history
//
// The deployed code with its real adapters, against a table that answers over HTTP from another process's memory. What
// AWS's network adds is not in the figures: multiply the requests by a few milliseconds, divided by 32 at a time.

import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import Table from 'cli-table3';
import { type SweepDependencies, sweep } from '../lambdas/watchdog/sweep.ts';
import { TimingMemory } from '../lambdas/watchdog/timing-memory.ts';
import { watchManifest } from '../lambdas/watchdog/watched-manifest.ts';
import { DynamoDbRunStore } from '../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbJobStates } from '../lib/adapters/dynamodb-watch-store/dynamodb-job-states.ts';
import { DynamoDbWatchStore } from '../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { jobPartition, runSortKey } from '../lib/domain/contract/run-table-keys.ts';
import type { JobDefinition } from '../lib/domain/job.ts';

const JOBS = 10_000;
const MINUTE = 60_000;
const START = Date.parse('2026-06-01T00:00:00Z');
const TABLE = 'run-table';

interface Counts {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

const child = fork(join(import.meta.dirname, 'watchdog-table.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
const { port } = await reply<{ port: number }>(child);
const client = new DynamoDBClient({
  endpoint: `http://127.0.0.1:${port}`,
  region: 'local',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const table = new Table({
  head: ['10,000 jobs', 'due', 'rows in table', 'wall ms', 'CPU ms', 'RSS MB', 'requests', 'read units', 'write units'],
  style: { head: [], border: [], compact: true },
});

const hourly = (index: number) => `${index % 60} * * * *`;
const atMidnight = () => '0 0 * * *';
const SCENARIOS: readonly (readonly [string, (index: number) => string, { ran: boolean; history: number }])[] = [
  ['spread over the hour, all ran', hourly, { ran: true, history: 0 }],
  ['all due at midnight, all ran', atMidnight, { ran: true, history: 0 }],
  ['the same with 10 days of history', atMidnight, { ran: true, history: 10 }],
  ['all due at midnight, none ran', atMidnight, { ran: false, history: 0 }],
];

// Each in a process of its own, so that the memory is its own.
const [only] = process.argv.slice(2);
if (only === undefined) {
  child.disconnect();
  for (const index of SCENARIOS.keys()) {
    const { stdout } = spawnSync(process.execPath, [import.meta.filename, String(index)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    table.push(JSON.parse(stdout) as string[]);
  }
  console.log(table.toString());
} else {
  const chosen = SCENARIOS[Number(only)];
  if (chosen !== undefined) console.log(JSON.stringify(await scenario(...chosen)));
  child.disconnect();
}
client.destroy();

async function scenario(
  name: string,
  scheduleOf: (index: number) => string,
  { ran, history }: { readonly ran: boolean; readonly history: number },
): Promise<string[]> {
  await ask({ clear: true });
  const jobs = Array.from({ length: JOBS }, (_, index) => definition(index, scheduleOf(index)));
  const dependencies: SweepDependencies = {
    manifest: watchManifest({
      version: 1,
      environment: 'bench',
      scheduler: 'bench',
      jobsStacks: 'bench/jobs',
      jobs,
      functions: {},
    }),
    watchStore: new DynamoDbWatchStore(client, TABLE),
    runStore: new DynamoDbRunStore(client, TABLE),
    jobStates: new DynamoDbJobStates(client, TABLE),
    invoker: { deliver: async () => {} },
    timings: new TimingMemory(),
    telling: { notifier: async () => ({ notify: async () => {} }), remindMs: 86_400_000, isQuiet: () => false },
  };
  for (let day = 1; day <= history; day++)
    await fill(jobs.map(({ name: job }) => row(job, START - day * 1_440 * MINUTE)));
  // A watchdog that has been at it for days: this sweep has its own minute and nothing else to do.
  const now = START + 2 * MINUTE;
  const { digest, jobs: watched } = dependencies.manifest;
  const long = START - 30 * 1_440 * MINUTE;
  await dependencies.watchStore.saveRoster(
    digest,
    watched.map(({ entry }) => entry),
  );
  await dependencies.watchStore.save({
    sweptAt: now - MINUTE,
    lastAt: now - MINUTE,
    epochs: [{ roster: digest, from: long, before: long }],
    open: [],
    effectiveFrom: {},
    pauses: {},
    incidents: [],
    version: 1,
  });
  const due = dependencies.manifest.jobs.flatMap(({ entry, schedule, patienceMs }) =>
    [...schedule.between(now - MINUTE - patienceMs, now - patienceMs)].map((at) => ({ job: entry.name, at })),
  );
  if (ran) await fill(due.map(({ job, at }) => row(job, at)));
  await ask({ counts: true });
  const cpu = process.cpuUsage();
  const began = performance.now();
  const report = await sweep(dependencies, await dependencies.watchStore.load(), now);
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const { counts, items } = await ask({ counts: true });
  const memory = process.memoryUsage.rss() / 1024 / 1024;
  const figures = [wall, (user + system) / 1_000, memory, counts.requests, counts.readUnits, counts.writeUnits];
  const counted = [report.examined, items, ...figures];
  return [name, ...counted.map((figure) => Math.round(figure).toLocaleString('en'))];
}

function definition(index: number, schedule: string): JobDefinition {
  return {
    name: `job-${index}`,
    schedule,
    timeZone: 'UTC',
    dst: {},
    timeoutMs: 60_000,
    retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1_000, maxDelayMs: 1_000 },
    overlap: 'skip',
    startGraceMs: MINUTE,
    revision: schedule,
  };
}

function row(job: string, at: number) {
  const [claimedAt, updatedAt] = [at + 2_000, at + 9_000].map((instant) => ({ N: String(instant) }));
  return {
    pk: { S: jobPartition(job) },
    sk: { S: runSortKey(at) },
    status: { S: 'succeeded' },
    fencingToken: { N: '1' },
    attempts: { N: '1' },
    trigger: { S: 'schedule' },
    claimedAt,
    updatedAt,
  };
}

async function fill(rows: readonly object[]): Promise<void> {
  for (let start = 0; start < rows.length; start += 5_000) await ask({ fill: rows.slice(start, start + 5_000) });
}

async function ask(message: object): Promise<{ readonly counts: Counts; readonly items: number }> {
  const answered = reply<{ counts: Counts; items: number }>(child);
  child.send(message);
  return answered;
}

function reply<Answer>(from: ChildProcess): Promise<Answer> {
  return new Promise((resolve) => from.once('message', (message) => resolve(message as Answer)));
}
