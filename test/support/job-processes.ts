import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { JobDefinition } from '../../lib/domain/job.ts';
import type { Delivery, DeliveryReply } from './job-process.ts';

/** The bundle that the processes run, made once: it starts faster than its sources, and is what would be deployed. */
export async function bundleJobProcess(): Promise<{ path: string } & Disposable> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-job-'));
  const path = join(folder, 'index.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'job-process.ts')],
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    outfile: path,
    logLevel: 'error',
  });
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** Prefix of the scheduler that the processes say they belong to: their idempotency keys begin with it. */
export const SCHEDULER = 'test';

/** One process; it can be killed, and is then started anew by the next delivery. */
export class JobProcess implements AsyncDisposable {
  readonly #path: string;
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;
  #ready: Promise<void> | undefined;
  #serial = 0;

  constructor(path: string, { url, table, job }: { url: string; table: string; job: JobDefinition }) {
    this.#path = path;
    this.#env = {
      AWS_ENDPOINT_URL_DYNAMODB: url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      BELFRY_TABLE: table,
      BELFRY_ENVIRONMENT: 'test',
      BELFRY_SCHEDULER: SCHEDULER,
      BELFRY_JOB: JSON.stringify(job),
    };
  }

  start(): Promise<void> {
    if (this.#ready !== undefined) return this.#ready;
    const child = fork(this.#path, [], { env: this.#env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child = child;
    // A process that is killed before it is ready is found gone by whoever waited for it.
    this.#ready = new Promise((resolve) => {
      child.once('message', () => resolve());
      child.once('exit', () => resolve());
    });
    child.once('exit', () => {
      if (this.#child === child) {
        this.#child = undefined;
        this.#ready = undefined;
      }
    });
    return this.#ready;
  }

  /** Resolves to `killed` when the process ends before it has answered. */
  async deliver(delivery: Omit<Delivery, 'id'>): Promise<DeliveryReply | 'killed'> {
    await this.start();
    const child = this.#child;
    if (child === undefined) return 'killed';
    const id = ++this.#serial;
    return new Promise((resolve) => {
      const onMessage = (reply: DeliveryReply) => {
        if (reply.id === id) done(reply);
      };
      const onExit = () => done('killed');
      const done = (answer: DeliveryReply | 'killed') => {
        child.off('message', onMessage);
        child.off('exit', onExit);
        resolve(answer);
      };
      child.on('message', onMessage);
      child.once('exit', onExit);
      child.send({ id, ...delivery }, (error) => {
        if (error !== null) done('killed');
      });
    });
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}
