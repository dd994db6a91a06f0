import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { IGrantable, IPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { assertJobName } from '../domain/job.ts';
import { StagedCode } from './bundle/staged-code.ts';
import type { FleetJob } from './fleet-job.ts';
import { createJobFunction, type JobPlacement } from './job-function.ts';
import { type JobOptions, resolveJobOptions } from './job-options.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { createLogGroup, createSchedulerRole } from './job-shard.ts';
import { existingFile } from './scheduled-job.ts';

export interface JobFleetProps extends JobOptions, JobPlacement {
  /**
   * Files to put beside the bundled handlers, which find them as `new URL('./name', import.meta.url)`. Relative to the
   * scheduler's root.
   *
   * @default - none
   */
  readonly files?: readonly string[];
}

/**
 * Many jobs in one function: one more resource for each, instead of three. They share its memory, environment and role,
 * so what one may touch, all may; their names begin with the fleet's, and that is what the role is confined to.
 * The options are the defaults of the fleet's jobs; the timeout is also the longest that any of them may have.
 */
export class JobFleet extends Construct implements IGrantable {
  readonly scheduler: JobScheduler;
  /** First part of the jobs' names. */
  readonly name: string;
  readonly functionName: string;
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly schedulerRole: Role;
  readonly grantPrincipal: IPrincipal;
  /** The longest that any of the jobs may take. */
  readonly timeoutMs: number;
  /** Options of the jobs that do not say otherwise. */
  readonly defaults: JobOptions;

  private readonly jobs = new Map<string, { readonly job: FleetJob; readonly entry: string }>();

  constructor(scheduler: JobScheduler, name: string, props: JobFleetProps = {}) {
    assertJobName(name);
    super(scheduler, name);
    scheduler.registerFleet(name);
    this.scheduler = scheduler;
    this.name = name;
    this.functionName = scheduler.functionNameOf(name);
    this.defaults = props;
    const options = resolveJobOptions(scheduler.defaults, props);
    this.timeoutMs = options.timeout.toMilliseconds();
    const { function: created, role } = createJobFunction(this, {
      scheduler,
      functionName: this.functionName,
      description: `The jobs ${name}-… of ${scheduler.environment}`,
      code: new StagedCode({
        entry: `belfry-fleet:${this.node.path}`,
        source: () => this.routerSource(),
        isAlone: true,
        files: (props.files ?? []).map((file) => existingFile(scheduler, name, file, 'files', 'MissingFile')),
        generated: () => ({ 'jobs.json': this.fleetFile() }),
      }),
      isImage: false,
      options,
      placement: props,
      logGroup: createLogGroup(this, scheduler),
      tableStatements: [scheduler.table.fleetStatement(name)],
      jobs: `${name}-*`,
      variables: { BELFRY_FLEET: name },
    });
    this.function = created;
    this.role = role;
    this.grantPrincipal = role;
    this.schedulerRole = createSchedulerRole(this, scheduler, [created.functionArn]);
  }

  /** Called by a job when it is complete. @param entry absolute path of its handler */
  register(job: FleetJob, entry: string): void {
    this.jobs.set(job.name, { job, entry });
  }

  private get entries(): string[] {
    return [...new Set([...this.jobs.values()].map(({ entry }) => entry))].sort();
  }

  private routerSource(): string {
    const { entries } = this;
    return [
      `import { routeFleet } from ${JSON.stringify(routerModule())};`,
      ...entries.map((entry, index) => `import { handler as handler${index} } from ${JSON.stringify(entry)};`),
      `export const handler = routeFleet([${entries.map((_, index) => `handler${index}`).join(', ')}]);`,
    ].join('\n');
  }

  private fleetFile(): string {
    const { entries } = this;
    const indexes = new Map(entries.map((entry, index) => [entry, index]));
    const jobs = [...this.jobs.values()].sort((a, b) => (a.job.name < b.job.name ? -1 : 1));
    return JSON.stringify({
      jobs: jobs.map(({ job }) => job.definition),
      handlers: Object.fromEntries(jobs.map(({ job, entry }) => [job.name, indexes.get(entry)])),
    });
  }
}

/** In the sources TypeScript, in the published package JavaScript. */
function routerModule(): string {
  const source = fileURLToPath(new URL('../../lambdas/runtime/fleet.ts', import.meta.url));
  return existsSync(source) ? source : source.replace(/\.ts$/, '.js');
}
