/** The command by itself, for tests to spawn. */
import { Command } from 'commander';
import { explainCommand } from '../../lib/cli/explain.ts';

await new Command('belfry').addCommand(explainCommand()).parseAsync();
