import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BELFRY = fileURLToPath(new URL('../../bin/belfry.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in a folder, without the AWS settings of whoever runs the tests. */
export function belfry(args: readonly string[], options: { readonly cwd?: string } = {}): Promise<Ended> {
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BELFRY, ...args], {
      ...options,
      env: { ...Object.fromEntries(variables), NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output.stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
}
