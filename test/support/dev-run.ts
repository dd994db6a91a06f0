import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BELFRY = fileURLToPath(new URL('../../bin/belfry.ts', import.meta.url));

/** A line of `--json`. */
export interface DevLine {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface DevRun {
  readonly child: ChildProcess;
  readonly lines: DevLine[];
  /** Resolves with the first line that fits. */
  until(fits: (line: DevLine) => boolean): Promise<DevLine>;
  readonly ended: Promise<{ code: number | null; lines: DevLine[]; stdout: string; stderr: string }>;
}

/** Runs `belfry dev` in a process of its own, in a folder with a `cdk.json`. */
export function dev(folder: string, ...flags: string[]): DevRun {
  const child = spawn(process.execPath, [BELFRY, 'dev', ...flags], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: DevLine[] = [];
  const waiting: (() => void)[] = [];
  let stdout = '';
  let stderr = '';
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    if (flags.includes('--json')) lines.push(...parts.map((line) => JSON.parse(line) as DevLine));
    for (const wake of waiting.splice(0)) wake();
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<Awaited<DevRun['ended']>>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, lines, stdout, stderr });
      for (const wake of waiting.splice(0)) wake();
    });
  });
  const until = async (fits: (line: DevLine) => boolean) => {
    for (;;) {
      const line = lines.find(fits);
      if (line !== undefined) return line;
      if (child.exitCode !== null) throw new Error(`ended before: ${stdout}\n${stderr}`);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { child, lines, until, ended };
}
