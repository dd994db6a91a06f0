import { Command, InvalidArgumentError } from 'commander';
import { formatInstant } from '../domain/time/instant.ts';
import { type InstantOption, parseInstantOption } from './instant-option.ts';
import { type Operated, type OperateFlags, operate, withFunction, withOperator } from './operate.ts';

interface BackfillFlags extends OperateFlags {
  readonly from: InstantOption;
  readonly to: InstantOption;
  readonly limit: number;
}

const USUAL_LIMIT = 100;
const HIGHEST_LIMIT = 1_000;

/** `belfry backfill <job> --from --to`: runs what was due and has no outcome. */
export function backfillCommand(): Command {
  return withFunction(withOperator(new Command('backfill')))
    .description('run what was due in a range and has no outcome, the oldest first; also while the job is paused')
    .requiredOption('--from <instant>', 'due at or after it, or so long ago: 24h, 7d', parseInstantOption)
    .requiredOption('--to <instant>', 'due at or before it, at the latest now', parseInstantOption)
    .option('--limit <number>', `refuse a range with more occurrences; at most ${HIGHEST_LIMIT}`, limit, USUAL_LIMIT)
    .action((job: string, flags: BackfillFlags) =>
      operate(job, flags, async ({ operator, target, request, now }) => {
        const [from, to] = [flags.from(now), flags.to(now)];
        const split = await operator.backfill(target, { from: from - 1, to, limit: flags.limit }, request);
        return report(job, [from, to], split);
      }),
    );
}

function report(
  job: string,
  [from, to]: readonly [number, number],
  { open, done }: { readonly open: readonly number[]; readonly done: Readonly<Record<string, number>> },
): Operated {
  const asked = open.map(formatInstant);
  const answer = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), asked, done };
  const outcomes = Object.entries(done).map(([status, count]) => `${count} ${status}`);
  if (asked.length === 0 && outcomes.length === 0) {
    return { answer, say: `${job} was not due between ${answer.from} and ${answer.to}`, code: 1 };
  }
  const has = outcomes.length === 0 ? '' : `; ${outcomes.join(', ')} already, and not run again`;
  return { answer, say: `${job} was asked for ${count(asked.length)}${has}` };
}

function count(occurrences: number): string {
  return `${occurrences} ${occurrences === 1 ? 'occurrence' : 'occurrences'}`;
}

function limit(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= HIGHEST_LIMIT) return number;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${HIGHEST_LIMIT}.`);
}
