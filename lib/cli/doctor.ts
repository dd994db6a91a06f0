import { Command, InvalidArgumentError } from 'commander';
import { SystemClock } from '../adapters/system-clock/system-clock.ts';
import { BelfryError } from '../domain/errors.ts';
import { examine } from '../local/doctor/examine.ts';
import type { Finding } from '../local/doctor/finding.ts';
import { paint } from './print/dev-lines.ts';

interface DoctorFlags {
  readonly environment?: string;
  readonly prefix?: string;
  readonly endpoint?: string;
  readonly port: number;
  readonly json: boolean;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('say what is wrong with this machine, an emulator or a deployed environment, each with its fix')
    .option('--environment <name>', 'also look at what is deployed under this name')
    .option('--prefix <prefix>', 'which scheduler, where several are of this environment')
    .option('--endpoint <url>', 'an emulator to look at (default: AWS_ENDPOINT_URL; without one, AWS itself)')
    .option('--port <number>', "the port that 'belfry dev' is to use", parsePort, 4747)
    .option('--json', 'one JSON object on stdout', false)
    .action(async (flags: DoctorFlags) => {
      process.exitCode = await doctor(flags);
    });
}

/** Returns the exit code: 0 when nothing is wrong, 1 when something is, 2 when it was asked wrongly. */
async function doctor({ environment, prefix, endpoint, port, json }: DoctorFlags): Promise<number> {
  let findings: Finding[];
  try {
    findings = await examine({
      projectFolder: process.cwd(),
      clock: new SystemClock(),
      port,
      variables: process.env,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(environment === undefined ? {} : { environment }),
      ...(prefix === undefined ? {} : { prefix }),
    });
  } catch (error) {
    if (!(error instanceof BelfryError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  const healthy = findings.every(({ status }) => status !== 'wrong');
  process.stdout.write(json ? `${JSON.stringify({ healthy, checks: findings })}\n` : findings.map(line).join(''));
  return healthy ? 0 : 1;
}

const MARKS = {
  ok: paint('green', 'ok'.padEnd(7)),
  wrong: paint('red', 'wrong'.padEnd(7)),
  skipped: paint('dim', 'skipped'),
};

function line({ check, status, found, fix }: Finding): string {
  const text = `${MARKS[status]}  ${check.padEnd(10)}  ${status === 'skipped' ? paint('dim', found) : found}\n`;
  return fix === undefined ? text : `${text}${' '.repeat(21)}fix: ${fix}\n`;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('Give a number from 1 to 65535.');
  return port;
}
