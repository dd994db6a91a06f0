import { userInfo } from 'node:os';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { Command } from 'commander';
import { DynamoDbOperatorStore } from '../adapters/dynamodb-run-store/dynamodb-operator-store.ts';
import { DynamoDbRequestBook } from '../adapters/dynamodb-watch-store/dynamodb-request-book.ts';
import { DeployedSchedules } from '../adapters/eventbridge-scheduler/deployed-schedules.ts';
import { LambdaInvoker } from '../adapters/lambda-invoker/lambda-invoker.ts';
import { scheduleGroup, scheduleName } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import type { OperatorRequest } from '../domain/operate/ports.ts';
import { parseSchedule } from '../domain/schedule/parse-schedule.ts';
import type { JobInvoker } from '../domain/watch/ports.ts';
import { Operator, type ScheduledTarget } from '../local/operate/operator.ts';
import { assertKnown, carryOut } from './carry-out.ts';
import { type Target, type TargetFlags, withTarget } from './target.ts';

export interface OperateFlags extends TargetFlags {
  readonly by: string;
  readonly note?: string;
  /** Of commands that start something. */
  readonly function?: string;
  readonly json: boolean;
}

/** What a command has at hand when it acts. */
export interface Operating {
  readonly operator: Operator;
  readonly target: ScheduledTarget;
  readonly request: OperatorRequest;
  /** Epoch milliseconds, by the clock of the environment; what is written down bears it. */
  readonly now: number;
}

/** What was done. `say` is for people. */
export interface Operated {
  readonly answer: object;
  readonly say: string;
  /** Default 0. */
  readonly code?: number;
}

export function withOperator(command: Command): Command {
  return withAudit(withTarget(command).argument('<job>', 'name of the job'));
}

/** For commands of which it is written down who gave them. */
export function withAudit(command: Command): Command {
  return command
    .option('--note <text>', 'why; it is kept in the record')
    .option('--by <name>', 'who asks; it is kept in the record', whoever())
    .option('--json', 'one JSON object on stdout', false);
}

/** Who asks, and why, as it is written down. */
export function requestOf({ by, note }: { readonly by: string; readonly note?: string }): OperatorRequest {
  const said = note?.trim() ?? '';
  return { by, ...(said === '' ? {} : { note: said }) };
}

/** For commands that start something. */
export function withFunction(command: Command): Command {
  return command.option('--function <name>', "the job's function (default: the one that its schedule invokes)");
}

/** Acts on one job, and sets the exit code. */
export async function operate(
  name: string,
  flags: OperateFlags,
  act: (operating: Operating) => Promise<Operated>,
): Promise<void> {
  process.exitCode = await carryOut(flags, async (place) => {
    assertKnown(place, name);
    const job = place.jobs.find((one) => one.name === name);
    if (job === undefined) return 2;
    const { schedule: expression, timeZone, dst } = job;
    const { now } = place;
    const services = new Services(place, flags.function);
    try {
      const operator = new Operator({
        store: new DynamoDbOperatorStore(place.client, place.tableName),
        invoker: services,
        requests: new DynamoDbRequestBook(place.client, place.tableName),
        now: () => now,
      });
      const request = requestOf(flags);
      const { answer, say, code } = await act({
        operator,
        target: { job, schedule: parseSchedule(expression, { timeZone, dst }) },
        request,
        now,
      });
      const audit = { ...request, at: new Date(now).toISOString() };
      process.stdout.write(flags.json ? `${JSON.stringify({ job: name, ...answer, ...audit })}\n` : `${say}\n`);
      return code ?? 0;
    } finally {
      services.close();
    }
  });
}

/** The functions of the environment. Clients are made when the first event is to be delivered. */
export class Services implements JobInvoker {
  readonly #place: Target;
  readonly #functionName: string | undefined;
  readonly #clients: (LambdaClient | SchedulerClient)[] = [];
  readonly #invokers = new Map<string, LambdaInvoker>();

  constructor(place: Target, functionName: string | undefined) {
    this.#place = place;
    this.#functionName = functionName;
  }

  async deliver(event: Parameters<JobInvoker['deliver']>[0]): Promise<void> {
    const invoker = this.#invokers.get(event.job) ?? (await this.#find(event.job));
    this.#invokers.set(event.job, invoker);
    await invoker.deliver(event);
  }

  close(): void {
    for (const client of this.#clients) client.destroy();
  }

  async #find(job: string): Promise<LambdaInvoker> {
    const { endpoint, environment } = this.#place;
    if (endpoint === undefined) {
      throw new BelfryError(
        'NotRunning',
        `environment '${environment}' is not running in this folder, so nothing can be started there: start it with 'belfry dev --environment ${environment}'`,
      );
    }
    const [scheduler, lambda] = [new SchedulerClient(endpoint), new LambdaClient(endpoint)];
    this.#clients.push(scheduler, lambda);
    const name = this.#functionName ?? (await functionOf(scheduler, await this.#place.prefix(), job));
    return new LambdaInvoker(lambda, { [job]: name });
  }
}

/**
 * What the job's schedule invokes: a function of the job's own, its fleet's, or one that existed already.
 * @throws BelfryError `NoFunction`
 */
async function functionOf(scheduler: SchedulerClient, prefix: string, job: string): Promise<string> {
  const name = scheduleName(prefix, job, 0);
  const { found } = await new DeployedSchedules(scheduler, scheduleGroup(prefix)).look(name);
  if (found !== undefined) return found.target;
  throw new BelfryError(
    'NoFunction',
    `which function runs '${job}' cannot be told: there is no schedule '${name}'; name the function with --function, or deploy the stack that declares the job`,
  );
}

function whoever(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without a name, as in containers.
    return process.env.USER ?? `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
