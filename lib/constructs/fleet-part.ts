import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { StagedCode } from './bundle/staged-code.ts';
import { createJobFunction, type JobPlacement, type JobRole } from './job-function.ts';
import type { ResolvedJobOptions } from './job-options.ts';
import type { JobScheduler } from './job-scheduler.ts';
import type { DeclaredJob } from './job-scheduler-props.ts';

export interface FleetPartProps {
  /** Name of the fleet. */
  readonly fleet: string;
  readonly functionName: string;
  readonly options: ResolvedJobOptions;
  readonly placement: JobPlacement;
  /** Absolute paths of files to put beside the handlers. */
  readonly files: readonly string[];
  readonly logGroup: ILogGroup;
  readonly role: JobRole;
}

/** The jobs of a fleet that are in one stack: a function with their handlers, and which of them runs each job. */
export class FleetPart {
  readonly function: LambdaFunction;
  private readonly jobs = new Map<string, { readonly job: DeclaredJob; readonly entry: string }>();

  constructor(scope: Construct, scheduler: JobScheduler, { fleet, files, ...props }: FleetPartProps) {
    this.function = createJobFunction(scope, {
      ...props,
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
