import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BelfryError } from '../../lib/domain/errors.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';

/** `jobs.json` beside the code of a function that many jobs share. */
export interface FleetFile {
  readonly jobs: readonly JobDefinition[];
  /** Which of the bundled handlers runs each job: an index, by job. */
  readonly handlers: Readonly<Record<string, number>>;
}

type Handler = (event: unknown, context: unknown) => unknown;

let fleet: { readonly jobs: ReadonlyMap<string, JobDefinition>; readonly handlers: FleetFile['handlers'] } | undefined;

function loadFleet() {
  if (fleet === undefined) {
    const path = join(process.env.LAMBDA_TASK_ROOT ?? '.', 'jobs.json');
    const { jobs, handlers } = JSON.parse(readFileSync(path, 'utf8')) as FleetFile;
    fleet = { jobs: new Map(jobs.map((job) => [job.name, job])), handlers };
  }
  return fleet;
}

/**
 * The job that an event is for, of those that share this function.
 * @throws BelfryError `UnknownJob`
 */
export function fleetJob(event: unknown): JobDefinition {
  const name = jobOf(event);
  const job = loadFleet().jobs.get(name ?? '');
  if (job === undefined) {
    throw new BelfryError(
      'UnknownJob',
      `the event names job ${JSON.stringify(name) ?? 'nothing'}, which is none of the ${loadFleet().jobs.size} that this function runs: correct "job", or deploy the fleet again`,
    );
  }
  return job;
}

/** The handler of a function that many jobs share: hands each event to the handler of its job. */
export function routeFleet(handlers: readonly Handler[]): Handler {
  return (event, context) => {
    const handler = handlers[loadFleet().handlers[fleetJob(event).name] ?? -1];
    if (handler === undefined) {
      throw new BelfryError('UnknownJob', `no handler is bundled for job ${JSON.stringify(jobOf(event))}`);
    }
    return handler(event, context);
  };
}

function jobOf(event: unknown): string | undefined {
  const { job } = typeof event === 'object' && event !== null ? (event as { job?: unknown }) : {};
  return typeof job === 'string' ? job : undefined;
}
