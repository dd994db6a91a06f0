import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A folder with an app whose jobs share functions, spread over stacks; removed when the test is over.
 *
 * @param declare JavaScript that declares jobs in `fleet`; `scheduler`, `app` and all of `cdk-belfry` are at hand
 */
export function createFleetProject(declare: string, { stacks = 2 } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-fleet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const module = (path: string) => JSON.stringify(join(ROOT, path));
  writeFileSync(join(folder, 'cdk.json'), '{ "app": "node app.mjs" }');
  writeFileSync(
    join(folder, 'report.ts'),
    `import { defineJob } from ${module('lambdas/runtime/index.ts')};
    export const handler = defineJob(async (run) => ({ reported: run.jobName }));`,
  );
  writeFileSync(
    join(folder, 'app.mjs'),
    `import { App, Stack } from ${module('node_modules/aws-cdk-lib/core/index.js')};
    import { FleetJob, JobFleet, JobScheduler, ScheduledJob, Watchdog } from ${module('lib/index.ts')};
    const app = new App({ builtinCloudFormationValidation: false });
    const scheduler = new JobScheduler(new Stack(app, 'Jobs'), 'Scheduler', { environment: 'dev', stacks: ${stacks} });
    const fleet = new JobFleet(scheduler, 'tenant');
    ${declare}
    app.synth();`,
  );
  return folder;
}
