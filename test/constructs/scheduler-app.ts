import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { App, type Environment, Stack } from 'aws-cdk-lib/core';
import { onTestFinished } from 'vitest';
import { JobScheduler } from '../../lib/constructs/job-scheduler.ts';
import type { JobSchedulerProps } from '../../lib/constructs/job-scheduler-props.ts';
import { isManifestPart } from '../../lib/domain/contract/names.ts';

/** The instant that tests synthesise at. */
export const SYNTH_TIME = new Date('2026-11-29T00:00:00Z');

export interface SchedulerApp {
  readonly app: App;
  readonly stack: Stack;
  readonly scheduler: JobScheduler;
  /** Folder with a handler file `job.ts`. */
  readonly root: string;
}

/** An app with one stack and one scheduler in it, whose jobs may say `entry: 'job.ts'`. */
export function schedulerApp(props: Partial<JobSchedulerProps> & { env?: Environment } = {}): SchedulerApp {
  const root = mkdtempSync(join(tmpdir(), 'belfry-constructs-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'job.ts'), "export const handler = async () => 'done';\n");
  const { env, ...rest } = props;
  const app = quietApp(join(root, 'cdk.out'));
  const stack = new Stack(app, 'Jobs', { stackName: 'belfry-test', ...(env === undefined ? {} : { env }) });
  const scheduler = new JobScheduler(stack, 'Scheduler', { environment: 'test', root, now: SYNTH_TIME, ...rest });
  return { app, stack, scheduler, root };
}

/** Schedules of jobs by their logical ids: all but what holds the manifest. */
export function jobSchedules(template: Template): ReturnType<Template['findResources']> {
  const all = template.findResources('AWS::Scheduler::Schedule');
  return Object.fromEntries(Object.entries(all).filter(([, { Properties }]) => !isManifestPart(Properties.Name)));
}

/** An app without the CDK's own template validation, which takes most of a small synth. */
export function quietApp(outdir: string, context: Record<string, unknown> = {}): App {
  return new App({ outdir, context, builtinCloudFormationValidation: false });
}
