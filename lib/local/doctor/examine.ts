import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import type { Clock } from '../../domain/ports.ts';
import { type EndpointIdentity, type EndpointSettings, endpointSettings, identifyEndpoint } from '../drive/endpoint.ts';
import { inspectLock } from '../folder-lock.ts';
import { judgeEndpoint, judgeTable, judgeWatchdog, lookAtDeployment } from './deployment.ts';
import { type Finding, skipped } from './finding.ts';
import { judgeLock, judgePort, type LockState, type PortState } from './judge-local-run.ts';
import { type ClockReading, type Disk, judgeClock, judgeDisk, judgeNode, judgeTimeZones } from './judge-machine.ts';

export interface ExamineOptions {
  readonly projectFolder: string;
  readonly clock: Clock;
  /** The port that `belfry dev` would take. */
  readonly port: number;
  readonly variables: { readonly [name: string]: string | undefined };
  /** As given by the user. */
  readonly endpoint?: string;
  /** Given by the user: then what is deployed is looked at too, on AWS when there is no endpoint. */
  readonly environment?: string;
  /** Of the scheduler, where several are of this environment. */
  readonly prefix?: string;
}

/** Looks at everything that a run here, at an emulator or on AWS depends on. Changes nothing. */
export async function examine(options: ExamineOptions): Promise<Finding[]> {
  const { projectFolder, clock, port } = options;
  const lock = lockState(projectFolder);
  const tz = process.versions.tz;
  const asked = options.endpoint ?? options.variables.AWS_ENDPOINT_URL;
  const settings = asked === undefined ? undefined : endpointSettings(asked, options.variables);
  const identity = settings === undefined ? undefined : await identify(settings.endpoint);
  return [
    judgeNode(process.version),
    judgeDisk(diskState(projectFolder)),
    judgePort(await portState(port), lock),
    judgeLock(lock),
    judgeTimeZones(tz, Intl.supportedValuesOf('timeZone'), clock.now()),
    judgeClock(clock.now(), tz, await readClock(options, settings, identity)),
    settings === undefined || identity === undefined
      ? skipped('endpoint', 'none is named: give --endpoint or set AWS_ENDPOINT_URL to look at an emulator')
      : judgeEndpoint(settings.endpoint, identity),
    ...(await deployed(options, settings, identity)),
  ];
}

async function deployed(
  { environment, prefix, clock }: ExamineOptions,
  settings: EndpointSettings | undefined,
  identity: EndpointIdentity | Error | undefined,
): Promise<Finding[]> {
  if (settings === undefined && environment === undefined && prefix === undefined) {
    const why = 'give --environment to look at what is deployed on AWS';
    return [skipped('table', why), skipped('watchdog', why)];
  }
  if (settings !== undefined && (identity instanceof Error || identity?.kind === 'unknown')) {
    return [skipped('table', 'there is no endpoint to ask'), skipped('watchdog', 'there is no endpoint to ask')];
  }
  const deployment = await lookAtDeployment({ environment: environment ?? 'dev', prefix }, settings ?? {});
  return [judgeTable(deployment, settings?.endpoint), judgeWatchdog(deployment, settings?.endpoint, clock.now())];
}

async function identify(endpoint: string): Promise<EndpointIdentity | Error> {
  try {
    return await identifyEndpoint(endpoint);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function diskState(folder: string): Disk {
  const { bavail, bsize } = statfsSync(folder);
  const disk = { folder, freeBytes: bavail * bsize };
  try {
    const state = join(folder, '.belfry');
    accessSync(existsSync(state) ? state : folder, constants.W_OK);
    return disk;
  } catch (error) {
    return { ...disk, refusal: (error as NodeJS.ErrnoException).code ?? String(error) };
  }
}

function lockState(projectFolder: string): LockState | undefined {
  const file = join(projectFolder, '.belfry', 'dev.lock');
  const holder = inspectLock(file);
  return holder === undefined ? undefined : { file: relative(projectFolder, file), ...holder };
}

function portState(port: number): Promise<PortState> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve({ port, refusal: error.code ?? error.message }));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve({ port, refusal: undefined })));
  });
}

/** The time that the endpoint's, or AWS's, answers carry. */
async function readClock(
  { environment, clock, variables }: ExamineOptions,
  settings: EndpointSettings | undefined,
  identity: EndpointIdentity | Error | undefined,
): Promise<ClockReading | undefined> {
  if (settings === undefined ? environment === undefined : identity instanceof Error) return undefined;
  const region = variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION ?? 'us-east-1';
  const url = settings?.endpoint ?? `https://sts.${region}.amazonaws.com/`;
  const before = clock.now();
  try {
    const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(3_000) });
    const theirs = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(theirs) ? undefined : { source: new URL(url).host, theirs, ours: (before + clock.now()) / 2 };
  } catch {
    return undefined;
  }
}
