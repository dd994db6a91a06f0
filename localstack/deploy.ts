/** Deploys one environment of the app to an emulator with the plain CDK CLI. argv: the environment, by default `dev`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { readCloudAssembly } from '../lib/local/assembly/cloud-assembly.ts';
import { readResources } from '../lib/local/assembly/read-resources.ts';
import { EndpointSchedules } from '../lib/local/drive/endpoint-schedules.ts';
import { planRestore, type Restoration } from '../lib/local/drive/plan-restore.ts';
import { emulatorSettings, emulatorVariables, projectFolder, untilReady } from './emulator.ts';

const [environment = 'dev'] = process.argv.slice(2);
const settings = emulatorSettings();
const { kind, version } = await untilReady(settings.endpoint);
console.log(`${kind}${version === undefined ? '' : ` ${version}`} at ${settings.endpoint}`);

const assembly = mkdtempSync(join(tmpdir(), 'belfry-emulator-'));
try {
  await cdk('synth', '--quiet', '--context', `environment=${environment}`, '--output', assembly);
  await cdk('bootstrap', `aws://000000000000/${settings.region}`, '--app', assembly);
  await cdk('deploy', `${environment}/*`, '--app', assembly, '--require-approval', 'never');

  const scheduler = new SchedulerClient(settings);
  const { schedules } = readResources(readCloudAssembly(assembly, environment));
  for (const restoration of planRestore(schedules, await new EndpointSchedules(scheduler).list())) {
    console.log(`restoring schedule ${restoration.name}, which ${kind} holds with ${restoration.lost.join(', ')}`);
    await restore(scheduler, restoration);
  }
} finally {
  rmSync(assembly, { recursive: true, force: true });
}
console.log(`deployed '${environment}'; 'npm run localstack:drive' fires its schedules`);

function cdk(...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(projectFolder, 'node_modules', 'aws-cdk', 'bin', 'cdk'), '--no-notices', ...args],
      {
        cwd: projectFolder,
        env: emulatorVariables(settings),
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`cdk ${args[0]} ended with exit status ${code}`));
    });
  });
}

/** An update replaces the whole schedule, so it starts from what is there. */
async function restore(scheduler: SchedulerClient, wanted: Restoration): Promise<void> {
  const held = await scheduler.send(new GetScheduleCommand({ GroupName: wanted.group, Name: wanted.name }));
  await scheduler.send(
    new UpdateScheduleCommand({
      GroupName: wanted.group,
      Name: wanted.name,
      FlexibleTimeWindow: held.FlexibleTimeWindow,
      Target: held.Target,
      ...(held.Description === undefined ? {} : { Description: held.Description }),
      ScheduleExpression: wanted.expression,
      ScheduleExpressionTimezone: wanted.timeZone,
      State: wanted.enabled ? 'ENABLED' : 'DISABLED',
      ...(wanted.startAt === undefined ? {} : { StartDate: new Date(wanted.startAt) }),
      ...(wanted.endAt === undefined ? {} : { EndDate: new Date(wanted.endAt) }),
    }),
  );
}
