/** One app of the synth benchmark: `node app.ts <naive|own|fleet> <jobs>`; prints what it took as JSON. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { App, Stack, TimeZone } from 'aws-cdk-lib/core';
import { FleetJob, JobFleet, JobScheduler, ScheduledJob, Watchdog } from '../../lib/index.ts';

const [kind = '', count = '0'] = process.argv.slice(2);
const jobs = Number(count);
const runtime = join(import.meta.dirname, '..', '..', 'lambdas', 'runtime', 'index.ts');
// Inside the repository, so that the naive app finds the lock file and packages that NodejsFunction asks for.
const root = mkdtempSync(join(kind === 'naive' ? process.cwd() : tmpdir(), '.belfry-bench-'));

function entry(index: number): string {
  const path = join(root, 'jobs', `job-${index}.ts`);
  const text =
    kind === 'naive'
      ? `export const handler = async () => ({ job: ${index} });\n`
      : `import { defineJob } from ${JSON.stringify(runtime)};\nexport const handler = defineJob(async () => ({ job: ${index} }));\n`;
  writeFileSync(path, text);
  return path;
}

/** Weekdays at some time of day, as most jobs are. */
const at = (index: number) => ({ minute: String(index % 60), hour: String((index * 7) % 24) });

function declareNaive(app: App): void {
  const stack = new Stack(app, 'Jobs');
  for (let index = 0; index < jobs; index++) {
    const target = new NodejsFunction(stack, `Function${index}`, { entry: entry(index) });
    new Schedule(stack, `Schedule${index}`, {
      schedule: ScheduleExpression.cron({
        ...at(index),
        weekDay: 'MON-FRI',
        timeZone: TimeZone.of('America/New_York'),
      }),
      target: new LambdaInvoke(target),
    });
  }
}

function declareOurs(app: App): void {
  const stacks = Math.max(1, Math.ceil(jobs / (kind === 'own' ? 110 : 400)));
  const scheduler = new JobScheduler(new Stack(app, 'Jobs'), 'Scheduler', { environment: 'bench', root, stacks });
  const fleet = kind === 'fleet' ? new JobFleet(scheduler, 'tenant') : undefined;
  const handlers = fleet === undefined ? jobs : Math.min(jobs, 5);
  const entries = Array.from({ length: handlers }, (_, index) => entry(index));
  for (let index = 0; index < jobs; index++) {
    const { minute, hour } = at(index);
    const props = {
      schedule: `${minute} ${hour} * * 1-5`,
      timeZone: 'America/New_York',
      entry: entries[index % handlers] ?? '',
    };
    if (fleet === undefined) new ScheduledJob(scheduler, `job-${index}`, props);
    else new FleetJob(fleet, String(index), props);
  }
  new Watchdog(new Stack(app, 'Watch'), 'Watchdog', { scheduler });
}

try {
  mkdirSync(join(root, 'jobs'));
  const started = performance.now();
  const app = new App({ outdir: join(root, 'cdk.out'), builtinCloudFormationValidation: false, treeMetadata: false });
  if (kind === 'naive') declareNaive(app);
  else declareOurs(app);
  const { directory } = app.synth();
  const seconds = (performance.now() - started) / 1000;
  const templates = readdirSync(directory)
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => [name, readFileSync(join(directory, name), 'utf8')] as const);
  const sizes = templates.map(([, text]) => Object.keys(JSON.parse(text).Resources ?? {}).length);
  console.log(
    JSON.stringify({
      seconds,
      megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
      resources: sizes.reduce((total, size) => total + size, 0),
      stacks: sizes.length,
      largestStack: Math.max(...sizes),
      digests: Object.fromEntries(
        templates.map(([name, text]) => [name, createHash('sha256').update(text).digest('hex')]),
      ),
    }),
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
