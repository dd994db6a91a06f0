#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { devCommand } from '../lib/cli/dev.ts';
import { doctorCommand } from '../lib/cli/doctor.ts';
import { driveCommand } from '../lib/cli/drive.ts';
import { explainCommand } from '../lib/cli/explain.ts';
import { jobsCommand } from '../lib/cli/jobs.ts';
import { runCommand } from '../lib/cli/run.ts';
import { runsCommand } from '../lib/cli/runs.ts';
import { verifyCommand } from '../lib/cli/verify.ts';

const program = new Command('belfry')
  .description('A serverless cron for AWS: run it here, ask what a schedule means, operate what is deployed.')
  .version(readVersion())
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  .showHelpAfterError("Run 'belfry --help' to see what there is.");
const commands = [
  devCommand(),
  doctorCommand(),
  driveCommand(),
  explainCommand(),
  jobsCommand(),
  runCommand(),
  runsCommand(),
  verifyCommand(),
];
for (const command of commands) program.addCommand(command.exitOverride().copyInheritedSettings(program));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // Help and version are answers; everything else that the parser refuses is wrong usage.
  process.exitCode = error.exitCode === 0 ? 0 : 2;
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
