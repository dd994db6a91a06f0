#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';

/** Loaded when asked for: each brings its own SDK clients. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  backfill: async () => (await import('../lib/cli/backfill.ts')).backfillCommand(),
  'dead-letters': async () => (await import('../lib/cli/dead-letters.ts')).deadLettersCommand(),
  dev: async () => (await import('../lib/cli/dev.ts')).devCommand(),
  doctor: async () => (await import('../lib/cli/doctor.ts')).doctorCommand(),
  drive: async () => (await import('../lib/cli/drive.ts')).driveCommand(),
  explain: async () => (await import('../lib/cli/explain.ts')).explainCommand(),
  jobs: async () => (await import('../lib/cli/jobs.ts')).jobsCommand(),
  pause: async () => (await import('../lib/cli/pause.ts')).pauseCommand(),
  plan: async () => (await import('../lib/cli/plan.ts')).planCommand(),
  resume: async () => (await import('../lib/cli/resume.ts')).resumeCommand(),
  run: async () => (await import('../lib/cli/run.ts')).runCommand(),
  runs: async () => (await import('../lib/cli/runs.ts')).runsCommand(),
  simulate: async () => (await import('../lib/cli/simulate.ts')).simulateCommand(),
  skip: async () => (await import('../lib/cli/skip.ts')).skipCommand(),
  trigger: async () => (await import('../lib/cli/trigger.ts')).triggerCommand(),
  verify: async () => (await import('../lib/cli/verify.ts')).verifyCommand(),
};

const asked = COMMANDS[process.argv[2] ?? ''];
const program = new Command('belfry')
  .description('A serverless cron for AWS: run it here, ask what a schedule means, operate what is deployed.')
  .version(readVersion())
  .exitOverride()
  // Commands below a command have options of the same names.
  .enablePositionalOptions()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  .showHelpAfterError(`Run 'belfry ${asked === undefined ? '' : `${process.argv[2]} `}--help' to see what there is.`);
const commands = await Promise.all((asked === undefined ? Object.values(COMMANDS) : [asked]).map((load) => load()));
for (const command of commands) program.addCommand(settled(command, program));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // Help and version are answers; everything else that the parser refuses is wrong usage.
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}

/** With what all commands have in common, also those below it. */
function settled(command: Command, above: Command): Command {
  command.exitOverride().copyInheritedSettings(above);
  for (const below of command.commands) settled(below, command);
  return command;
}

/** Of the package this file is in, published or not. */
function readVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      return String((JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: unknown }).version);
    } catch {}
  }
  return 'unknown';
}
