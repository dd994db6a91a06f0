import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../bin/belfry.ts', import.meta.url));

export interface CliAnswer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as a user does. Nothing of AWS is found but what `variables` say. */
export function belfry(
  args: readonly string[],
  { cwd, variables = {} }: { readonly cwd?: string; readonly variables?: Record<string, string> } = {},
): Promise<CliAnswer> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: cwd ?? process.cwd(),
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      NO_COLOR: '1',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_MAX_ATTEMPTS: '1',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
