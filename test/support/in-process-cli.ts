import { Command, CommanderError } from 'commander';
import { vi } from 'vitest';
import type { CliAnswer } from './belfry-cli.ts';

/** Carries out a command in this process, which is quicker than one of its own, with what it writes and its exit code. */
export async function inProcess(
  commands: readonly (() => Command)[],
  args: readonly string[],
  variables: Record<string, string>,
): Promise<CliAnswer> {
  const output = { stdout: '', stderr: '' };
  const catching = (name: keyof typeof output) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      output[name] += String(chunk);
      return true;
    });
  const spies = [catching('stdout'), catching('stderr')];
  const before = { env: process.env, exitCode: process.exitCode };
  process.env = {
    ...before.env,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    ...variables,
  };
  process.exitCode = 0;
  const program = new Command('belfry').exitOverride().enablePositionalOptions();
  for (const make of commands) {
    const command = make();
    for (const one of [command, ...command.commands]) one.exitOverride().copyInheritedSettings(program);
    program.addCommand(command);
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return { code: Number(process.exitCode), ...output };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { code: 2, ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.env = before.env;
    process.exitCode = before.exitCode;
  }
}
