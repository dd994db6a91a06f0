import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Stack } from 'aws-cdk-lib/core';
import { FleetAlarms } from '../../lib/constructs/fleet-alarms.ts';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { Watchdog } from '../../lib/constructs/watchdog.ts';
import { quietApp, SYNTH_TIME } from '../constructs/scheduler-app.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const RUNTIME = JSON.stringify(join(REPOSITORY, 'lambdas/runtime/index.ts'));

export interface ManyJobs {
  /** Jobs with a function of their own, or of one fleet. */
  readonly kind: 'own' | 'fleet';
  readonly count: number;
  readonly stacks: number;
  /** Handler of one more job, if there is one. */
  readonly another?: string;
}

/** Handlers of jobs that have nothing new to them, by what they import. */
const HANDLERS = [
  (index: number) => `import { defineJob } from ${RUNTIME};
    export const handler = defineJob(async () => ({ job: ${index} }));`,
  (index: number) => `import { defineJob } from ${RUNTIME};
    import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
    import { greet } from '../shared.ts';
    export const handler = defineJob(async () => [greet('job ${index}'), DynamoDBClient, GetItemCommand]);`,
] as const;

/** Handlers of one more job: what each is the first to import. */
export const ANOTHER: Readonly<Record<string, string>> = {
  nothing: HANDLERS[0](-1),
  'another part of a module of the project': `import { defineJob } from ${RUNTIME};
    import { part } from '../shared.ts';
    export const handler = defineJob(async () => part('job'));`,
  'another part of the SDK': `import { defineJob } from ${RUNTIME};
    import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
    export const handler = defineJob(async () => [DynamoDBClient, ScanCommand]);`,
  'another part of the runtime': `import { BelfryError, defineJob } from ${RUNTIME};
    export const handler = defineJob(async () => { throw new BelfryError('Never', 'never'); });`,
  'another package': `import { defineJob } from ${RUNTIME};
    import { DateTime } from 'luxon';
    export const handler = defineJob(async () => DateTime.utc().toISO());`,
  'something of each': `import { BelfryError, defineJob } from ${RUNTIME};
    import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
    import { DateTime } from 'luxon';
    import { part } from '../shared.ts';
    export const handler = defineJob(async () => [BelfryError, DynamoDBClient, ScanCommand, DateTime, part('job')]);`,
  'a package while it runs': `import { defineJob } from ${RUNTIME};
    export const handler = defineJob(async () => (await import('luxon')).DateTime.utc().toISO());`,
};

/** Digests of what is deployed, by stack: its template, and the assets that it names by their content. */
export function deployedStacks({ kind, count, stacks, another }: ManyJobs): Map<string, string> {
  const root = mkdtempSync(join(tmpdir(), 'belfry-many-'));
  try {
    symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
    mkdirSync(join(root, 'jobs'));
    writeFileSync(
      join(root, 'shared.ts'),
      "export const greet = (name) => 'hello ' + name;\nexport const part = (name) => 'bye ' + name;\n",
    );
    const app = quietApp(join(root, 'cdk.out'));
    const jobs = new Stack(app, 'Jobs');
    const scheduler = new JobScheduler(jobs, 'Scheduler', { environment: 'many', root, stacks, now: SYNTH_TIME });
    const fleet = kind === 'fleet' ? new JobFleet(scheduler, 'tenant') : undefined;
    const declare = (name: string, handler: string, hour: number) => {
      writeFileSync(join(root, 'jobs', `${handler}.ts`), texts.get(handler) ?? '');
      const props = { schedule: `0 ${hour} * * *`, timeZone: 'Europe/London', entry: `jobs/${handler}.ts` };
      if (fleet === undefined) new ScheduledJob(scheduler, name, props);
      else new FleetJob(fleet, name, props);
    };
    // The jobs of a fleet are many, its handlers few.
    const handlerOf = (index: number) => (kind === 'own' ? index : index % 4);
    const texts = new Map<string, string>();
    for (let index = 0; index < count; index++) {
      const handler = `handler-${handlerOf(index)}`;
      texts.set(handler, HANDLERS[handlerOf(index) % 2 === 0 ? 0 : 1](handlerOf(index)));
      declare(`job-${index}`, handler, index % 24);
    }
    if (another !== undefined) {
      texts.set('another', another);
      declare('another', 'another', 7);
    }
    const watch = new Stack(app, 'Watch');
    new Watchdog(watch, 'Watchdog', { scheduler });
    new FleetAlarms(watch, 'Alarms', { scheduler });
    const { directory } = app.synth();
    const names = readdirSync(directory).filter((name) => name.endsWith('.template.json'));
    return new Map(names.map((name) => [name.replace('.template.json', ''), digestOf(join(directory, name))]));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Names of the stacks that differ. */
export function changedStacks(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

function digestOf(template: string): string {
  return createHash('sha256')
    .update(readFileSync(template))
    .update(readFileSync(template.replace('.template.json', '.assets.json')))
    .digest('hex');
}
