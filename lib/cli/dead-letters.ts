import { createInterface } from 'node:readline/promises';
import { GetFunctionConfigurationCommand, LambdaClient, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Command, type OptionValues } from 'commander';
import { DeadLetterQueue } from '../adapters/dead-letter-queue/dead-letter-queue.ts';
import { DynamoDbOperatorStore } from '../adapters/dynamodb-run-store/dynamodb-operator-store.ts';
import { DynamoDbRequestBook } from '../adapters/dynamodb-watch-store/dynamodb-request-book.ts';
import { watchdogFunctionName } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import { type DeadLetterChoice, groupDeadLetters, isChosen } from '../domain/operate/plan-dead-letters.ts';
import { DeadLetters, type LettersDone } from '../local/operate/dead-letters.ts';
import { Operator } from '../local/operate/operator.ts';
import { assertKnown, carryOut } from './carry-out.ts';
import { type InstantOption, parseInstantOption } from './instant-option.ts';
import { requestOf, Services, withAudit, withFunction } from './operate.ts';
import { deadLettersJson, deadLettersText, lettersDoneText } from './print/dead-letters.ts';
import { type Target, type TargetFlags, withTarget } from './target.ts';

interface ListFlags extends TargetFlags {
  readonly job?: string;
  readonly json: boolean;
}

interface ActFlags extends TargetFlags {
  readonly all: boolean;
  readonly by: string;
  readonly note?: string;
  readonly function?: string;
  readonly json: boolean;
}

interface DiscardFlags extends ActFlags {
  readonly other: boolean;
  readonly yes: boolean;
}

/** `belfry dead-letters`: what neither EventBridge Scheduler nor Lambda could deliver. */
export function deadLettersCommand(): Command {
  return withTarget(new Command('dead-letters'))
    .description('events that could not be delivered: list them, deliver them again, or discard them')
    .option('--job <name>', 'only those of this job')
    .option('--json', 'one JSON object on stdout', false)
    .action((flags: ListFlags) => list(flags))
    .addCommand(deliverCommand())
    .addCommand(discardCommand());
}

function deliverCommand(): Command {
  return withFunction(withChoice(new Command('deliver')))
    .description(
      "invoke the job's function again with the same event; an occurrence that has its outcome stays as it is",
    )
    .action((job: string | undefined, scheduledTime: InstantOption | undefined, _: ActFlags, command: Command) => {
      const flags = withFlagsBefore<ActFlags>(command);
      return act(flags, job, scheduledTime, (letters, choice) => letters.deliver(choice, requestOf(flags)));
    });
}

function discardCommand(): Command {
  return withChoice(new Command('discard'))
    .description('remove them from the queue for good')
    .option('--other', 'those that are no event of a job, like lifecycle events that could not be told', false)
    .option('--yes', 'do not ask', false)
    .action((job: string | undefined, scheduledTime: InstantOption | undefined, _: DiscardFlags, command: Command) => {
      const flags = withFlagsBefore<DiscardFlags>(command);
      return act(flags, job, scheduledTime, async (letters, choice, queue) => {
        if (!flags.yes && !(await isConfirmed(choice, queue))) return undefined;
        return letters.discard(choice);
      });
    });
}

function withChoice(command: Command): Command {
  return withAudit(withTarget(command))
    .argument('[job]', 'those of this job')
    .argument('[scheduledTime]', 'that of this occurrence, like 2026-10-31T23:00:00Z', parseInstantOption)
    .option('--all', 'all of them', false);
}

/** The flags of `deliver` or `discard`, also those that stand before that word: `belfry dead-letters --local deliver …`. */
function withFlagsBefore<Flags extends OptionValues>(command: Command): Flags {
  const { parent } = command;
  for (const option of parent?.options ?? []) {
    const name = option.attributeName();
    if (parent?.getOptionValueSource(name) !== 'cli') continue;
    if (!command.options.some((own) => own.attributeName() === name)) {
      command.error(`error: ${option.long} goes with the list: name the job behind '${command.name()}' instead`);
    }
    if (command.getOptionValueSource(name) !== 'cli') {
      command.setOptionValueWithSource(name, parent.getOptionValue(name), 'cli');
    }
  }
  return command.opts<Flags>();
}

async function list(flags: ListFlags): Promise<void> {
  process.exitCode = await withQueue(flags, async (queue, place) => {
    const seen = await queue.list();
    const choice = flags.job === undefined ? {} : { job: flags.job };
    const letters = seen.letters.filter((letter) => isChosen(letter, choice));
    if (letters.length === 0 && flags.job !== undefined) assertKnown(place, flags.job);
    const groups = groupDeadLetters(letters);
    const { environment } = place;
    process.stdout.write(
      flags.json
        ? `${JSON.stringify(deadLettersJson(environment, groups, seen.mayBeMore))}\n`
        : deadLettersText(environment, groups, seen.mayBeMore),
    );
    return 0;
  });
}

/** Exit 0: all that was chosen is out of the queue. 1: some is not, or there was none. */
async function act(
  flags: ActFlags & { readonly other?: boolean },
  job: string | undefined,
  scheduledTime: InstantOption | undefined,
  carry: (letters: DeadLetters, choice: DeadLetterChoice, queue: DeadLetterQueue) => Promise<LettersDone | undefined>,
): Promise<void> {
  process.exitCode = await withQueue(flags, async (queue, place) => {
    const choice = choiceOf(flags, job, scheduledTime?.(place.now));
    const services = new Services(place, flags.function);
    try {
      const store = new DynamoDbOperatorStore(place.client, place.tableName);
      const now = () => place.now;
      const requests = new DynamoDbRequestBook(place.client, place.tableName);
      const operator = new Operator({ store, invoker: services, requests, now });
      const letters = new DeadLetters({ queue, store, operator, jobs: place.jobs, now });
      const done = await carry(letters, choice, queue);
      if (done === undefined) {
        process.stderr.write('nothing was discarded\n');
        return 1;
      }
      if (done.outcomes.length === 0 && job !== undefined) assertKnown(place, job);
      const audit = { ...requestOf(flags), at: new Date(place.now).toISOString() };
      process.stdout.write(
        flags.json ? `${JSON.stringify({ ...done, ...audit })}\n` : lettersDoneText(done, job ?? place.environment),
      );
      const isDone = done.outcomes.length > 0 && done.outcomes.every(({ became }) => became !== 'kept');
      return isDone ? 0 : 1;
    } finally {
      services.close();
    }
  });
}

/** @throws BelfryError `NothingChosen` */
function choiceOf(
  { all, other = false }: { readonly all: boolean; readonly other?: boolean },
  job: string | undefined,
  scheduledTime: number | undefined,
): DeadLetterChoice {
  if ([all, other, job !== undefined].filter(Boolean).length !== 1) {
    throw new BelfryError(
      'NothingChosen',
      "say which dead letters: a job, a job and a scheduled time, or --all; 'belfry dead-letters' lists them",
    );
  }
  if (other) return { other };
  return { ...(job === undefined ? {} : { job }), ...(scheduledTime === undefined ? {} : { scheduledTime }) };
}

/** @throws BelfryError `NotConfirmed` */
async function isConfirmed(choice: DeadLetterChoice, queue: DeadLetterQueue): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new BelfryError('NotConfirmed', 'discarding asks first, and there is no terminal to ask in: say --yes');
  }
  const { letters, mayBeMore } = await queue.list();
  const count = letters.filter((letter) => isChosen(letter, choice)).length;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const many = `${count}${mayBeMore ? ' or more' : ''} ${count === 1 ? 'dead letter' : 'dead letters'}`;
    return /^y(es)?$/i.test((await terminal.question(`Discard ${many} for good? [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** @throws BelfryError `NotRunning`, `NoQueue` */
function withQueue(
  flags: TargetFlags,
  use: (queue: DeadLetterQueue, place: Target) => Promise<number>,
): Promise<number> {
  return carryOut(flags, async (place) => {
    const { endpoint, environment } = place;
    if (endpoint === undefined) {
      throw new BelfryError(
        'NotRunning',
        `environment '${environment}' is not running in this folder, so its queue cannot be read: start it with 'belfry dev --environment ${environment}'`,
      );
    }
    const client = new SQSClient({ ...endpoint, useQueueUrlAsEndpoint: false });
    try {
      return await use(new DeadLetterQueue(client, await queueUrlOf(place)), place);
    } finally {
      client.destroy();
    }
  });
}

/** The watchdog's function says where the queue is. */
async function queueUrlOf({ endpoint = {}, environment, prefix }: Target): Promise<string> {
  const lambda = new LambdaClient(endpoint);
  try {
    const FunctionName = watchdogFunctionName(await prefix());
    const command = new GetFunctionConfigurationCommand({ FunctionName });
    const { Environment } = await lambda.send(command).catch((error: unknown) => {
      if (error instanceof ResourceNotFoundException) return { Environment: undefined };
      throw error;
    });
    const url = Environment?.Variables?.BELFRY_DEAD_LETTERS;
    if (url !== undefined) return url;
    throw new BelfryError(
      'NoQueue',
      `no function ${FunctionName} says where the dead letters of ${environment} are: deploy a Watchdog, which does`,
    );
  } finally {
    lambda.destroy();
  }
}
