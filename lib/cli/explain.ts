import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Command, Option } from 'commander';
import { SystemClock } from '../adapters/system-clock/system-clock.ts';
import { BelfryError } from '../domain/errors.ts';
import type { DstPolicy, FoldPolicy, GapPolicy } from '../domain/job.ts';
import type { Clock } from '../domain/ports.ts';
import { quote } from '../domain/quote.ts';
import { explainSchedule } from '../domain/translation/explain-schedule.ts';
import { answerLine, parseFrom } from './print/explain-batch.ts';
import { explanationJson } from './print/explain-json.ts';
import { explanationText } from './print/explain-terminal.ts';

const DONE = 0;
const WRONG_INPUT = 2;
const MOST_OCCURRENCES = 100_000;

interface ExplainFlags {
  readonly timeZone?: string;
  readonly from?: string;
  readonly count?: string;
  readonly gap?: GapPolicy;
  readonly fold?: FoldPolicy;
  readonly batch: boolean;
  readonly json: boolean;
}

/** What a command may touch of the process. */
export interface ExplainSurroundings {
  readonly clock: Clock;
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable;
  /** Version of the runtime's time zone database. */
  readonly tzdata: string | undefined;
}

/** `belfry explain`: what a schedule means, when it is due, and what EventBridge Scheduler gets. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('say what a schedule means: in words, as EventBridge schedules, its next times, its surprises')
    .argument('[expressions...]', "one expression in quotes, e.g. '0 8 * * 1-5'; several mean their union")
    .option('--time-zone <name>', 'IANA name of the zone whose clock is meant, e.g. Europe/Berlin')
    .option('--from <instant>', 'ISO instant after which to look, e.g. 2027-01-01T00:00:00Z (default: now)')
    .option('--count <number>', 'how many of the next times to show (default: 10)')
    .addOption(new Option('--gap <policy>', 'a time that the clock jumps over').choices(['skip', 'runAfter']))
    .addOption(new Option('--fold <policy>', 'a time that is shown twice').choices(['first', 'second', 'both']))
    .option('--batch', 'answer JSON lines from stdin, {id, expr, tz, from, count, gap?, fold?}, one line each', false)
    .option('--json', 'JSON on stdout, also in a terminal', false)
    .action(async (expressions: string[], flags: ExplainFlags) => {
      const { stdin, stdout, stderr } = process;
      const surroundings = { clock: new SystemClock(), stdin, stdout, stderr, tzdata: process.versions.tz };
      process.exitCode = await explain(expressions, flags, surroundings);
    });
}

/** Returns the exit code: 0 explained, 2 wrong usage or an expression that is refused. */
export async function explain(
  expressions: readonly string[],
  flags: ExplainFlags,
  surroundings: ExplainSurroundings,
): Promise<number> {
  try {
    if (flags.batch) {
      return await answerBatch(expressions, surroundings);
    }
    explainOne(expressions, flags, surroundings);
    return DONE;
  } catch (error) {
    if (!(error instanceof BelfryError)) {
      throw error;
    }
    surroundings.stderr.write(`belfry explain: ${error.message}\n`);
    return WRONG_INPUT;
  }
}

function explainOne(
  expressions: readonly string[],
  flags: ExplainFlags,
  { clock, stdout, tzdata }: ExplainSurroundings,
): void {
  const [only, ...others] = expressions;
  if (only === undefined) {
    throw new BelfryError(
      'MissingExpression',
      `no expression given: write e.g. belfry explain '0 8 * * 1-5' --time-zone UTC`,
    );
  }
  if (expressions.length >= 5 && expressions.every((part) => !part.includes(' '))) {
    throw new BelfryError(
      'UnquotedExpression',
      `the expression came as ${expressions.length} words: put it in quotes, so that the shell leaves it alone, e.g. '0 8 * * 1-5'`,
    );
  }
  if (flags.timeZone === undefined) {
    throw new BelfryError('UnknownTimeZone', `--time-zone is missing: give an IANA name like Europe/Berlin, or UTC`);
  }
  const from = flags.from === undefined ? clock.now() : parseFrom(flags.from);
  const explanation = explainSchedule({
    expression: others.length === 0 ? only : expressions,
    timeZone: flags.timeZone,
    dst: policyOf(flags),
    from,
    count: flags.count === undefined ? 10 : parseCount(flags.count),
  });
  stdout.write(
    flags.json || stdout.isTTY !== true
      ? `${JSON.stringify(explanationJson(explanation, others.length === 0 ? only : expressions, tzdata), null, 2)}\n`
      : explanationText(explanation, { from, tzdata, stream: stdout }),
  );
}

async function answerBatch(
  expressions: readonly string[],
  { clock, stdin, stdout }: ExplainSurroundings,
): Promise<number> {
  if (expressions.length > 0) {
    throw new BelfryError(
      'IllegalOption',
      `--batch reads its expressions from stdin: leave out ${quote(expressions[0])}`,
    );
  }
  for await (const line of createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '' && !stdout.write(`${answerLine(line, clock.now(), MOST_OCCURRENCES)}\n`)) {
      await new Promise((resolve) => stdout.once('drain', resolve));
    }
  }
  return DONE;
}

function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_OCCURRENCES) {
    throw new BelfryError(
      'IllegalOption',
      `count ${quote(text)} is out of range: allowed are 1 to ${MOST_OCCURRENCES}`,
    );
  }
  return count;
}

function policyOf({ gap, fold }: ExplainFlags): DstPolicy {
  return { ...(gap === undefined ? {} : { gap }), ...(fold === undefined ? {} : { fold }) };
}
