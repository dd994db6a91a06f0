import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { Duration } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { planCommand } from '../../lib/cli/plan.ts';
import type { CliAnswer } from '../support/belfry-cli.ts';
import { inProcess } from '../support/in-process-cli.ts';
import { PLAN_JOBS, type PlanJobs, planAssembly, testFolder } from '../support/plan-assembly.ts';

/** A Friday noon in the fortnight in which first London's clocks change, then New York's. */
const AT = '2026-10-23T11:55Z';

function plan(...args: string[]): Promise<CliAnswer> {
  return inProcess([planCommand], ['plan', '--environment', 'prod', '--at', AT, ...args], {});
}

function compare(before: PlanJobs, after: PlanJobs, ...args: string[]): Promise<CliAnswer> {
  return plan('--from-templates', planAssembly(before), '--to-templates', planAssembly(after), ...args);
}

interface Answer {
  readonly goesThrough: boolean;
  readonly withinBudget?: boolean;
  readonly unchangedJobs: number;
  readonly jobs: readonly {
    readonly job: string;
    readonly change: string;
    readonly renamedFrom?: string;
    readonly policies: readonly object[];
    readonly occurrences: {
      readonly kept: number;
      readonly appear: { readonly count: number; readonly times: readonly string[] };
      readonly vanish: { readonly count: number };
      readonly moved: { readonly count: number; readonly moves: readonly { from: string; to: string }[] };
    };
  }[];
  readonly disturbed: readonly { readonly job: string; readonly touches: readonly string[]; readonly due: string[] }[];
  readonly quietFrom: string | null;
  readonly costs: Readonly<Record<'before' | 'after', { total: number; fixed: number; jobs: { total: number }[] }>>;
}

async function answerOf(before: PlanJobs, after: PlanJobs, ...args: string[]): Promise<Answer> {
  const { stdout, stderr } = await compare(before, after, '--json', ...args);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Answer;
}

test('another time zone moves occurrences, by how much depends on the week', async () => {
  const { jobs, goesThrough, disturbed, quietFrom } = await answerOf(PLAN_JOBS, {
    ...PLAN_JOBS,
    'invoice-dunning': { ...PLAN_JOBS['invoice-dunning'], timeZone: 'Europe/London' },
  });
  expect(goesThrough).toBe(true);
  expect(jobs).toMatchObject([
    {
      job: 'invoice-dunning',
      change: 'changed',
      policies: [{ policy: 'timeZone', before: 'America/New_York', after: 'Europe/London' }],
      // Today's new time is over: today's occurrence would not be at all.
      occurrences: { kept: 0, vanish: { count: 1, times: ['2026-10-23T12:00:00Z'] }, appear: { count: 0 } },
    },
  ]);
  const { moves = [] } = jobs[0]?.occurrences.moved ?? {};
  expect(moves).toHaveLength(9 + 1);
  expect(moves[0]).toEqual({ from: '2026-10-26T12:00:00Z', to: '2026-10-26T08:00:00Z' });
  expect(moves[5]).toEqual({ from: '2026-11-02T13:00:00Z', to: '2026-11-02T08:00:00Z' });
  expect(disturbed.find(({ job }) => job === 'invoice-dunning')).toMatchObject({
    touches: ['schedule', 'function'],
    due: ['2026-10-23T12:00:00Z'],
  });
  expect(quietFrom).toBe('2026-10-23T12:05:00Z');
});

test('a removed job vanishes, a renamed one is the same job', async () => {
  const { 'db-cleanup': cleanup, 'usage-report': usage, ...others } = PLAN_JOBS;
  const after = { ...others, 'hourly-usage': { ...usage, renamedFrom: 'usage-report' } };
  const { jobs, unchangedJobs, costs } = await answerOf(
    { 'db-cleanup': cleanup, 'usage-report': usage, ...others },
    after,
  );
  expect(jobs).toMatchObject([
    { job: 'db-cleanup', change: 'removed', occurrences: { vanish: { count: 14 } } },
    { job: 'hourly-usage', change: 'changed', renamedFrom: 'usage-report', policies: [] },
  ]);
  expect(jobs[1]?.occurrences).toMatchObject({ kept: 336, appear: { count: 0 }, vanish: { count: 0 } });
  expect(unchangedJobs).toBe(2);
  expect(costs.after.total).toBeLessThan(costs.before.total);
});

test('an overlap policy changes no occurrence, and is told with what it means', async () => {
  const after = { ...PLAN_JOBS, 'price-sync': { ...PLAN_JOBS['price-sync'], overlap: 'allow' as const } };
  const { stdout, code } = await compare(PLAN_JOBS, after);
  expect(stdout).toMatch(
    /~ price-sync\n +overlap: skip → allow \(runs may go on at the same time\)\n +no occurrence changes\n/,
  );
  expect(code).toBe(0);
});

test('a disabled job vanishes, an added one appears, retries and timeouts are told as policies', async () => {
  const after = {
    ...PLAN_JOBS,
    'db-cleanup': { ...PLAN_JOBS['db-cleanup'], enabled: false },
    'price-sync': { ...PLAN_JOBS['price-sync'], retry: { maxAttempts: 7 }, timeout: Duration.minutes(3) },
    'nightly-export': { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' },
  };
  const { stdout } = await compare(PLAN_JOBS, after);
  expect(stdout).toContain('  ~ db-cleanup\n      enabled: true → false (it is never due)');
  expect(stdout).toContain('14 occurrences vanish: Sat 2026-10-24 00:00 to Fri 2026-11-06 00:00 UTC');
  expect(stdout).toMatch(/\+ nightly-export added\n +14 occurrences appear: Sat 2026-10-24 02:30 .* Europe\/Berlin/);
  expect(stdout).toContain('retry.maxAttempts: 3 → 7');
  expect(stdout).toContain('timeout: 2 min → 3 min');
});

test('costs add up, and a budget decides the exit code', async () => {
  const { costs } = await answerOf(PLAN_JOBS, PLAN_JOBS);
  const { total, fixed, jobs } = costs.after;
  expect(jobs.reduce((sum, job) => sum + job.total, fixed)).toBeCloseTo(total, 2);
  expect(costs.before).toEqual(costs.after);
  const above = await compare(PLAN_JOBS, PLAN_JOBS, '--budget', String(total / 2));
  expect(above.code).toBe(1);
  expect(above.stdout).toContain('over the budget of');
  expect((await compare(PLAN_JOBS, PLAN_JOBS, '--budget', String(total * 2), '--json')).code).toBe(0);
});

test('a renamed job costs under its new name', async () => {
  const { 'price-sync': sync, ...others } = PLAN_JOBS;
  const after = { ...others, prices: { ...sync, renamedFrom: 'price-sync', schedule: '* * * * *' } };
  const { stdout } = await compare(PLAN_JOBS, after);
  expect(stdout).toMatch(/Cost a month\n {2}prices: 0\.\d\d USD → \d\.\d\d USD\n {2}assumed: /);
});

test('what gets stuck is told first, a few of each kind, with the way out', async () => {
  const args = ['--from-templates', planAssembly(PLAN_JOBS), '--to-templates', planAssembly(PLAN_JOBS, 'Jobs')];
  const { stdout, code } = await plan(...args);
  expect(code).toBe(1);
  const text = stdout.replaceAll(/\s+/g, ' ');
  expect(text).toMatch(/deployment gets stuck, for \d+ reasons jobs 4 as before/);
  expect(text).toMatch(/What gets stuck ✗ shop-prod-jobs \w+ NameTaken AWS::.* still has that name way out: /);
  expect(text).toMatch(/and \d+ more by NameTaken: --json names all/);
  const { goesThrough, obstacles } = JSON.parse((await plan(...args, '--json')).stdout);
  expect(goesThrough).toBe(false);
  expect(obstacles.length).toBeGreaterThan(3);
});

test('a thousand jobs that change alike are one line', async () => {
  const many = (timeout: number): PlanJobs =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `job-${n}`,
        { timeout: Duration.seconds(timeout), schedule: `${n} * * * *` },
      ]),
    );
  const { stdout } = await compare(many(60), many(90));
  expect(stdout).toContain('  ~ 30 jobs: job-0, job-1, job-10 and 27 more\n      timeout: 1 min → 1 min 30 s');
  expect(stdout.split('\n').length).toBeLessThan(30);
  const one = await compare(many(60), many(90), '--job', 'job-7');
  expect(one.stdout).toContain('  ~ job-7\n');
  expect(one.stdout).not.toContain('job-8');
});

test.each([
  ['there is no folder', () => '/nonexistent', 'there is no folder /nonexistent'],
  ['a folder without templates', testFolder, 'there are no templates in'],
  ['a template of somebody else', foreign, 'declares a job of Belfry (website): name the folder of an app'],
  ['a broken template', broken, 'is not valid JSON'],
  ['a manifest of a newer version', newer, 'the manifest has version 9, this release of cdk-belfry reads up to'],
  ['a manifest that somebody changed', () => changed('{"manifest":"bm90aGluZw=="}'), 'cannot be read'],
])('%s: one line, exit 2', async (_, folder, message) => {
  const { code, stdout, stderr } = await plan('--from-templates', folder(), '--to-templates', planAssembly(PLAN_JOBS));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each([
  [['--budget', 'abc'], 'Give an amount of USD a month, like 50 or 12.50.'],
  [['--at', 'tomorrow'], 'Give an ISO instant'],
  [['--environment', 'qa'], "the app declares no environment 'qa': it has prod"],
  [['--job', 'nightly'], "there is no job 'nightly' in prod, before or after: known are db-cleanup"],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await compare(PLAN_JOBS, PLAN_JOBS, ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('templates in files called as their stacks are, of several environments', async () => {
  const folder = testFolder();
  const stage = join(planAssembly(PLAN_JOBS), 'assembly-prod');
  const file = readdirSync(stage).find((name) => name.endsWith('.template.json')) ?? '';
  cpSync(join(stage, file), join(folder, 'shop-prod-jobs.template.json'));
  const { code, stdout } = await plan('--from-templates', folder, '--to-templates', planAssembly(PLAN_JOBS), '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [], unchangedJobs: 4, formerStacks: [] });
  const other = await plan('--environment', 'dev', '--from-templates', folder, '--to-templates', folder);
  expect(other.stderr).toContain("the templates have no environment 'dev': they have prod");
});

function foreign(): string {
  const folder = testFolder();
  writeFileSync(join(folder, 'website.json'), JSON.stringify({ Resources: { Bucket: { Type: 'AWS::S3::Bucket' } } }));
  return folder;
}

function broken(): string {
  const folder = testFolder();
  writeFileSync(join(folder, 'shop.template.json'), '{ "Resources": ');
  return folder;
}

function newer(): string {
  const part = { version: 9, jobs: [] };
  return changed(JSON.stringify({ manifest: brotliCompressSync(JSON.stringify(part)).toString('base64') }));
}

/** The example's assembly with another manifest in it. */
function changed(input: string): string {
  const folder = testFolder();
  mkdirSync(folder, { recursive: true });
  cpSync(planAssembly(PLAN_JOBS), folder, { recursive: true });
  const stage = join(folder, 'assembly-prod');
  for (const name of readdirSync(stage).filter((one) => one.endsWith('.template.json'))) {
    const text = readFileSync(join(stage, name), 'utf8');
    writeFileSync(
      join(stage, name),
      text.replace(/"\{\\"manifest\\":\\"[^"]*\\"\}"/, () => JSON.stringify(input)),
    );
  }
  return folder;
}
