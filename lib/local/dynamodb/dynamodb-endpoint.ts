import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BelfryError } from '../../domain/errors.ts';
import type { TableResource } from '../assembly/resources.ts';
import type { FaultSettings } from '../faults/fault-settings.ts';
import type { DynamoDbProcessNotice, DynamoDbProcessReply, DynamoDbProcessRequest } from './dynamodb-messages.ts';

const START_ATTEMPTS = 5;
const START_PAUSE_MS = 300;

/** The DynamoDB API on loopback, in a process of its own. */
export class DynamoDbEndpoint {
  readonly url: string;
  readonly #child: ChildProcess;
  #closing = false;

  private constructor(child: ChildProcess, port: number, onDied: (message: string) => void) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
    child.once('exit', (code, signal) => {
      if (!this.#closing) onDied(`the DynamoDB process ended by itself (${signal ?? `exit status ${code}`})`);
    });
  }

  /**
   * @param path folder of the store; in memory without one
   * @param clockOffset virtual minus real time
   */
  static async start(
    path: string | undefined,
    clockOffset: number,
    onDied: (message: string) => void,
  ): Promise<DynamoDbEndpoint> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await DynamoDbEndpoint.#start(path, clockOffset, onDied);
      } catch (error) {
        // The process of a run that was killed a moment ago may still be letting go of the store.
        if (path === undefined || attempt === START_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS));
      }
    }
  }

  static async #start(
    path: string | undefined,
    clockOffset: number,
    onDied: (message: string) => void,
  ): Promise<DynamoDbEndpoint> {
    const module = fileURLToPath(
      import.meta.resolve(`./dynamodb-process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`),
    );
    const child = fork(module, [path ?? '-', String(clockOffset)], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    });
    let complaints = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      complaints = `${complaints}${chunk}`.slice(-4_000);
    });
    const reply = await nextReply(child, () => complaints);
    if (!('port' in reply))
      throw new BelfryError('DynamoDbFailed', 'the DynamoDB process did not say where it listens');
    return new DynamoDbEndpoint(child, reply.port, (message) =>
      onDied(complaints === '' ? message : `${message}: ${lastLine(complaints)}`),
    );
  }

  async createTables(tables: readonly TableResource[]): Promise<void> {
    const answered = nextReply(this.#child, () => '');
    this.#tell({ do: 'createTables', tables });
    const reply = await answered;
    if ('failed' in reply) throw new BelfryError('TableRefused', reply.failed);
  }

  /** Tells the engine how far virtual time is from real time. */
  setClockOffset(offset: number): void {
    this.#tell({ do: 'setClock', offset });
  }

  /** Lets faults strike the requests from now on; each is reported when it does. */
  setFaults(settings: FaultSettings, report: (text: string) => void): void {
    this.#child.on('message', (message: DynamoDbProcessReply | DynamoDbProcessNotice) => {
      if ('struck' in message) report(message.struck);
    });
    this.#tell({ do: 'setFaults', settings });
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await exited;
  }

  #tell(message: DynamoDbProcessRequest): void {
    if (this.#child.connected) this.#child.send(message);
  }
}

function nextReply(child: ChildProcess, complaints: () => string): Promise<DynamoDbProcessReply> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off('exit', onExit);
      resolve(message as DynamoDbProcessReply);
    };
    const onExit = () => {
      child.off('message', onMessage);
      reject(new BelfryError('DynamoDbFailed', `the DynamoDB process could not start: ${lastLine(complaints())}`));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

/** The line that says what went wrong, out of a stack trace. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.find((line) => /^\w*Error\b|: /.test(line) && !line.startsWith('    at')) ?? lines.at(-1) ?? 'no reason given'
  );
}
