import { Command, InvalidArgumentError } from 'commander';
import { BelfryError } from '../domain/errors.ts';
import { VirtualClock } from '../local/clock/virtual-clock.ts';
import { FAULT_KINDS, parseFaults } from '../local/faults/fault-settings.ts';
import type { LocalRuntime } from '../local/local-runtime.ts';
import { AutoReload } from '../local/reload/auto-reload.ts';
import { type DevConsole, openInBrowser, startConsole } from './dev-console.ts';
import { parseDuration } from './duration-option.ts';
import { DevJsonPrinter } from './print/dev-json.ts';
import { DevPlainPrinter } from './print/dev-plain.ts';
import type { DevPrinter } from './print/dev-printer.ts';

/** How long running jobs may go on after the first Ctrl-C. */
const DRAIN_MS = 30_000;
/** And how long after `--until`: the longest that a function may run, because a bounded run is to be complete. */
const COMPLETE_MS = 15 * 60_000;
const ONE_PRESS_MS = 250;
/** Input that is wrong before anything was done; all else that goes wrong exits with 1. */
const USAGE_CODES = new Set([
  'AlreadyRunning',
  'PortInUse',
  'UnknownEnvironment',
  'NoCdkApp',
  'UntilBeforeFrom',
  'UnknownFault',
  'MalformedFault',
]);

interface DevFlags {
  readonly environment: string;
  readonly from?: number;
  readonly speed?: number;
  readonly until?: number;
  readonly duration?: number;
  readonly fresh: boolean;
  readonly json: boolean;
  readonly open: boolean;
  readonly reload: boolean;
  readonly port?: number;
  readonly endpointPort?: number;
  readonly faults?: string;
  readonly seed?: number;
}

export function devCommand(): Command {
  return new Command('dev')
    .description('run the app on this machine: its schedules, functions, table and alarms, on a real or virtual clock')
    .option('--environment <name>', 'which environment of the app to run', 'dev')
    .option('--from <instant>', 'start a virtual clock there, e.g. 2026-10-31T23:00Z', parseInstant)
    .option('--speed <factor>', 'virtual seconds per second while nothing runs, e.g. 600', parseSpeed)
    .option('--until <instant>', 'stop when the clock shows this instant', parseInstant)
    .option('--duration <time>', 'stop after this much real time, e.g. 90s or 10m', parseDuration)
    .option('--fresh', "delete the environment's local data first", false)
    .option('--json', 'one JSON object a line on stdout', false)
    .option('--faults <list>', `let things go wrong: ${FAULT_KINDS.join(', ')}, e.g. drop=1%,delay=5%:90s,skew=2s`)
    .option('--seed <number>', 'which of them are struck (default: another one each time, which is printed)', parseSeed)
    .option('--no-reload', 'do not pick up changed files while running (never done with --until or --duration)')
    .option('--open', 'show the console in a browser', false)
    .option('--port <number>', 'port of the console on 127.0.0.1 (default: 4747, or a free one)', parsePort)
    .option('--endpoint-port <number>', 'port of the AWS endpoint on 127.0.0.1 (default: a free one)', parsePort)
    .action(async (flags: DevFlags) => {
      process.exitCode = await dev(flags);
    });
}

/** Runs until it is told to stop. Returns the exit code. */
async function dev(flags: DevFlags): Promise<number> {
  const printer = await choosePrinter(flags.json);
  const { from, speed, until } = flags;
  const clock = new VirtualClock({
    ...(from === undefined && speed === undefined ? {} : { from: from ?? Date.now() }),
    ...(speed === undefined ? {} : { speed }),
  });
  let console: DevConsole | undefined;
  try {
    if (until !== undefined && until <= clock.now()) {
      throw new BelfryError(
        'UntilBeforeFrom',
        `--until ${new Date(until).toISOString()} is not after the clock's start, ${new Date(clock.now()).toISOString()}: give a later instant, or an earlier --from`,
      );
    }
    const faults = flags.faults === undefined ? undefined : parseFaults(flags.faults, flags.seed ?? randomSeed());
    if (faults !== undefined) printer.print({ type: 'note', level: 'info', text: `faults with --seed ${faults.seed}` });
    console = await startConsole(flags.port, () => clock.now());
    if (!flags.json)
      printer.print({ type: 'note', level: 'info', text: `synthesising the app for '${flags.environment}'…` });
    // Loaded here, so that the other commands do not pay for it.
    const { LocalRuntime } = await import('../local/local-runtime.ts');
    const runtime = await LocalRuntime.prepare({
      projectFolder: process.cwd(),
      environment: flags.environment,
      clock,
      fresh: flags.fresh,
      ...(faults === undefined ? {} : { faults }),
      ...(flags.endpointPort === undefined ? {} : { port: flags.endpointPort }),
      emit: (event) => {
        console?.accept(event);
        printer.print(event);
      },
    });
    const stopped = untilStopped(runtime, clock, flags, printer);
    const note = (text: string) => printer.print({ type: 'note', level: 'info', text });
    console.show(runtime);
    note(`console: ${console.url}`);
    if (flags.open) openInBrowser(console.url, note);
    const reloading =
      flags.reload && until === undefined && flags.duration === undefined ? autoReload(runtime, printer) : undefined;
    try {
      runtime.run();
    } catch (error) {
      await runtime.stop(0);
      throw error;
    }
    await stopped;
    await reloading?.close();
    return 0;
  } catch (error) {
    if (!(error instanceof BelfryError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return USAGE_CODES.has(error.code) ? 2 : 1;
  } finally {
    console?.close();
    printer.close();
  }
}

function autoReload(runtime: LocalRuntime, printer: DevPrinter): AutoReload {
  return new AutoReload({
    projectFolder: process.cwd(),
    reload: () => runtime.reload(),
    onFailed: ({ message }) => printer.print({ type: 'note', level: 'error', text: `not reloaded: ${message}` }),
    onMended: () => printer.print({ type: 'note', level: 'info', text: 'the app synthesises again' }),
  });
}

/** Resolves once the runtime has stopped: at a signal, at `--until`, or after `--duration`. */
function untilStopped(runtime: LocalRuntime, clock: VirtualClock, flags: DevFlags, printer: DevPrinter): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    const stop = (drainMs: number) => {
      if (stopping) return;
      stopping = true;
      clearTimeout(timer);
      runtime
        .stop(drainMs)
        .finally(() => {
          for (const signal of SIGNALS) process.off(signal, interrupt);
        })
        .then(resolve, reject);
    };
    let interruptedAt = 0;
    const interrupt = () => {
      // One Ctrl-C can arrive twice: from the terminal, and from npm in between.
      if (stopping && performance.now() - interruptedAt > ONE_PRESS_MS) void runtime.kill();
      else if (!stopping) {
        interruptedAt = performance.now();
        if (!flags.json)
          printer.print({
            type: 'note',
            level: 'info',
            text: 'stopping: running jobs may end first; Ctrl-C again kills them',
          });
        stop(DRAIN_MS);
      }
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
    // What is due at the very end belongs to the time after it.
    if (flags.until !== undefined) clock.schedule(flags.until - 1, () => stop(COMPLETE_MS));
    const timer = flags.duration === undefined ? undefined : setTimeout(() => stop(DRAIN_MS), flags.duration);
  });
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function choosePrinter(json: boolean): Promise<DevPrinter> {
  if (json) return new DevJsonPrinter();
  if (!process.stdout.isTTY) return new DevPlainPrinter();
  const { DevTablePrinter } = await import('./print/dev-table.ts');
  return new DevTablePrinter();
}

function parseInstant(text: string): number {
  const instant = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(instant))
    throw new InvalidArgumentError(
      'Give an ISO instant with its offset, like 2026-10-31T23:00Z or 2026-10-31T18:00-05:00.',
    );
  return instant;
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!(speed >= 1 && speed <= 1_000_000)) throw new InvalidArgumentError('Give a number from 1 to 1000000.');
  return speed;
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new InvalidArgumentError('Give a whole number from 0.');
  return seed;
}

function randomSeed(): number {
  return Math.floor(Math.random() * 1_000_000);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('Give a number from 1 to 65535.');
  return port;
}
