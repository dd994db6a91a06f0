import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { Command, Option } from 'commander';
import { BelfryError } from '../domain/errors.ts';
import { VirtualClock } from '../local/clock/virtual-clock.ts';
import type { DriveEvent } from '../local/drive/drive-event.ts';
import { DEFAULT_ENDPOINT, endpointSettings, identifyEndpoint } from '../local/drive/endpoint.ts';
import { ScheduleDrive } from '../local/drive/schedule-drive.ts';
import { parseDuration } from './duration-option.ts';
import { driveLine } from './print/drive-lines.ts';

/** Input that is wrong before anything was done; all else that goes wrong exits with 1. */
const USAGE_CODES = new Set(['MalformedEndpoint', 'NotAnEmulator']);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface DriveFlags {
  readonly endpoint?: string;
  readonly group?: string;
  readonly refresh: number;
  readonly duration?: number;
  readonly json: boolean;
}

export function driveCommand(): Command {
  return new Command('drive')
    .description('fire the schedules of a LocalStack-compatible endpoint, which does not fire them as AWS does')
    .option('--endpoint <url>', `where it listens (default: AWS_ENDPOINT_URL, or ${DEFAULT_ENDPOINT})`)
    .option('--group <name>', 'only schedules of this group')
    .addOption(
      new Option('--refresh <time>', 'how often to look for new and changed schedules')
        .argParser(parseDuration)
        .default(5_000, '5s'),
    )
    .option('--duration <time>', 'stop after this much time, e.g. 90s or 10m', parseDuration)
    .option('--json', 'one JSON object a line on stdout', false)
    .action(async (flags: DriveFlags) => {
      process.exitCode = await drive(flags);
    });
}

/** Runs until it is told to stop. Returns the exit code. */
async function drive(flags: DriveFlags): Promise<number> {
  const emit = (event: DriveEvent) => print(event, flags.json);
  try {
    const settings = endpointSettings(flags.endpoint, process.env);
    const identity = await identifyEndpoint(settings.endpoint);
    if (identity.firesItself) {
      emit({
        type: 'note',
        level: 'info',
        text: `${identity.kind} also fires schedules itself, with the context attributes as literal text: jobs refuse those and run once, fired from here`,
      });
    }
    const scheduler = new SchedulerClient(settings);
    const lambda = new LambdaClient({ ...settings, maxAttempts: 5 });
    const subject = new ScheduleDrive({
      endpoint: settings.endpoint,
      scheduler,
      lambda,
      clock: new VirtualClock(),
      emit,
      ...(flags.group === undefined ? {} : { group: flags.group }),
    });
    const stopped = untilStopped(flags.duration);
    await subject.start();
    const refreshing = setInterval(() => void subject.refresh(), flags.refresh);
    await stopped;
    clearInterval(refreshing);
    await subject.stop();
    scheduler.destroy();
    lambda.destroy();
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error instanceof BelfryError && USAGE_CODES.has(error.code) ? 2 : 1;
  }
}

function untilStopped(duration: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve();
    };
    const timer = duration === undefined ? undefined : setTimeout(stop, duration);
    for (const signal of SIGNALS) process.on(signal, stop);
  });
}

function print(event: DriveEvent, json: boolean): void {
  if (event.type === 'note') process.stderr.write(`${event.text}\n`);
  else process.stdout.write(json ? `${JSON.stringify(event)}\n` : driveLine(event));
}
