import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { eachLine } from './each-line.ts';
import { CHANNEL_DESCRIPTOR, type HostMessage, type ProcessMessage } from './host-messages.ts';

export interface FunctionProcessOptions {
  /** Working directory. */
  readonly codePath: string;
  readonly memoryMb: number;
  /** The whole environment: nothing is inherited. */
  readonly variables: Record<string, string>;
  /** Virtual minus real time at the start, milliseconds. */
  readonly clockOffset: number;
  /** Folder in which Node keeps compiled code. */
  readonly compileCache?: string;
  readonly onLine: (line: string) => void;
  readonly onMessage: (message: ProcessMessage) => void;
  /** It ended, by itself or killed; `how` in Lambda's words. What it had printed may still have to be read. */
  readonly onExit: (how: string) => void;
}

/** How long to wait for the last lines of a process that ended while something else keeps its output open. */
const LAST_LINES_MS = 200;

/** The operating system's side of an execution environment. */
export class FunctionProcess {
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #closed: Promise<void>;

  constructor(options: FunctionProcessOptions) {
    const bootstrap = fileURLToPath(
      import.meta.resolve(`./bootstrap${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`),
    );
    const { variables, compileCache } = options;
    // Node reads it before anything else; the bootstrap takes it away before the handler sees the environment.
    const cache = compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache };
    const parameters = [...heapFlags(options.memoryMb), bootstrap, String(options.clockOffset)];
    this.#child = spawn(process.execPath, parameters, {
      cwd: options.codePath,
      env: { ...variables, ...cache },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C in the terminal is the runtime's to handle, and a kill takes grandchildren along.
      detached: true,
    });
    for (const pipe of [this.#child.stdout, this.#child.stderr]) {
      if (pipe !== null) eachLine(pipe, options.onLine);
    }
    this.#channel = this.#child.stdio[CHANNEL_DESCRIPTOR] as Duplex;
    this.#channel.on('error', () => {});
    eachLine(this.#channel, (line) => options.onMessage(JSON.parse(line) as ProcessMessage));
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', () => resolve());
      this.#child.once('error', () => resolve());
    });
    this.#child.once('error', (error) => options.onExit(`could not start: ${error.message}`));
    this.#child.once('exit', (code, signal) =>
      options.onExit(signal === null ? `exit status ${code}` : `signal: ${signalName(signal)}`),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  tell(message: HostMessage): void {
    this.#channel.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the process and all it started, at once. */
  kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.#child.kill('SIGKILL');
    }
  }

  /** Resolves when all that the process had printed was read, after its end. */
  async allRead(): Promise<void> {
    await Promise.race([this.#closed, new Promise((resolve) => setTimeout(resolve, LAST_LINES_MS).unref())]);
  }
}

/** From here on a function has a whole processor or more, says AWS. */
const ONE_PROCESSOR_MB = 1_769;

/**
 * V8 sizes its heap by the memory it sees: on Lambda the function's, here all of the machine's. Told so, it collects its
 * garbage in time instead of growing over the function's limit. With less than a processor helper threads are no help:
 * here they cost a sixth of what the process uses.
 */
function heapFlags(memoryMb: number): string[] {
  return [
    `--max-semi-space-size=${Math.max(1, Math.round(memoryMb * 0.05))}`,
    `--max-old-space-size=${Math.max(64, Math.round(memoryMb * 0.6))}`,
    ...(memoryMb < ONE_PROCESSOR_MB ? ['--single-threaded-gc'] : []),
  ];
}

function signalName(signal: NodeJS.Signals): string {
  return signal === 'SIGKILL' ? 'killed' : signal;
}
