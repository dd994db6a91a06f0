import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { StagedCode } from './bundle/staged-code.ts';
import { createJobFunction, createJobRole, type JobPlacement } from './job-function.ts';
import type { ResolvedJobOptions } from './job-options.ts';
import type { JobScheduler } from './job-scheduler.ts';
import type { DeclaredJob } from './job-scheduler-props.ts';
import type { JobShard } from './job-shard.ts';

export interface FleetPartProps {
  /** Name of the fleet. */
  readonly fleet: string;
  readonly functionName: string;
  readonly options: ResolvedJobOptions;
  readonly placement: JobPlacement;
  /** Absolute paths of files to put beside the handlers. */
  readonly files: readonly string[];
  /** Whose jobs they are, and whose log group they write to. */
  readonly shard: JobShard;
}

/**
 * The jobs of a fleet that are in one stack: a function with their handlers, the role it has, and which handler runs each
 * job. Nothing of it is in another stack, so each is updated by itself.
 */
export class FleetPart {
  readonly function: LambdaFunction;
  readonly role: Role;
  private readonly jobs = new Map<string, { readonly job: DeclaredJob; readonly entry: string }>();

  constructor(scope: Construct, scheduler: JobScheduler, { fleet, files, shard, ...props }: FleetPartProps) {
    const { logGroup } = shard;
    const role = createJobRole(scope, {
      scheduler,
      name: props.functionName,
      functions: props.functionName,
      placement: props.placement,
      logGroup,
      tableStatements: [scheduler.table.fleetStatement(fleet)],
      jobs: `${fleet}-*`,
    });
    this.role = role.role;
    this.function = createJobFunction(scope, {
      ...props,
      logGroup,
      role,
      scheduler,
      description: `The jobs ${fleet}-… of ${scheduler.environment}`,
      code: new StagedCode({
        entry: `belfry-fleet:${scope.node.path}`,
        source: () => this.routerSource(),
        files,
        root: scheduler.root,
        sourceMaps: props.options.sourceMaps,
        generated: () => ({ 'jobs.json': this.fleetFile() }),
      }),
      isImage: false,
      variables: { BELFRY_FLEET: fleet },
    });
  }

  /** Called by a job when it is complete. @param entry absolute path of its handler */
  register(job: DeclaredJob, entry: string): void {
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
