// bench: memory and processor time of `npm start` while nothing but the clock goes on (Linux)
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessUse, processTree } from './process-tree.ts';

const root = join(import.meta.dirname, '..');
/** Not the environment that people keep their data in. */
const ENVIRONMENT = 'prod';
/** From `ready` on. Two minutes have been run through by then, and every process that rests between them is there. */
const SETTLE_MS = 120_000;
const MINUTE_MS = 60_000;
/** Within a minute: after what is due at its start, and before the next. */
const QUIET_FROM_MS = 10_000;
const QUIET_UNTIL_MS = 55_000;

try {
  // The first start compiles; what is claimed is said of the next ones.
  await stop(await start());
  const before = performance.now();
  const npm = await start();
  console.log(`npm start -- --json --environment ${ENVIRONMENT}`);
  console.log(
    `ready after ${((performance.now() - before) / 1000).toFixed(1)} s, with what was compiled by a start before`,
  );
  try {
    await sleep(SETTLE_MS);
    const idle = await measureCpu(npm);
    show(processTree(npm.pid ?? 0));
    console.log(
      `CPU over a minute, its runs included: ${idle.whole.toFixed(2)} % of one core; between the runs: ${idle.quiet.toFixed(2)} %`,
    );
  } finally {
    await stop(npm);
  }
} finally {
  rmSync(join(root, '.belfry', ENVIRONMENT), { recursive: true, force: true });
}

function show(tree: readonly ProcessUse[]): void {
  console.log(
    `\n${(SETTLE_MS + MINUTE_MS) / MINUTE_MS} to ${(SETTLE_MS + 2 * MINUTE_MS) / MINUTE_MS} minutes later, MB:`,
  );
  console.log('   PSS  anonymous    RSS');
  for (const use of tree) console.log(`${columns(use)}  ${nameOf(use)}`);
  const sum = (of: keyof Omit<ProcessUse, 'command'>) => tree.reduce((total, use) => total + use[of], 0);
  const all = { proportional: sum('proportional'), anonymous: sum('anonymous'), resident: sum('resident') };
  console.log(`${columns(all)}  in all, npm included`);
  // Other Node processes on the machine take a part of Node's own code upon them, and of the PSS here.
  const code = Math.max(...tree.map(({ resident, anonymous }) => resident - anonymous));
  console.log(
    `${(all.anonymous + code).toFixed(0).padStart(6)}  if no other Node ran here: anonymous, and Node's own code once`,
  );
}

function columns({ proportional, anonymous, resident }: Pick<ProcessUse, 'proportional' | 'anonymous' | 'resident'>) {
  return `${proportional.toFixed(0).padStart(6)}${anonymous.toFixed(0).padStart(11)}${resident.toFixed(0).padStart(7)}`;
}

function nameOf({ command }: ProcessUse): string {
  const known: readonly (readonly [string, string])[] = [
    ['npm start', 'npm'],
    ['belfry.ts dev', 'belfry dev'],
    ['dynamodb-process', 'DynamoDB'],
    ['lambda/bootstrap', 'a function'],
  ];
  return known.find(([part]) => command.includes(part))?.[1] ?? command.slice(0, 80);
}

/** Percent of one core, over a whole minute and over the part of it in which nothing is due. */
async function measureCpu(npm: ChildProcess): Promise<{ whole: number; quiet: number }> {
  const cpuMs = () => processTree(npm.pid ?? 0).reduce((sum, use) => sum + use.cpuMs, 0);
  const until = (ofMinute: number) => sleep((ofMinute - (Date.now() % MINUTE_MS) + MINUTE_MS) % MINUTE_MS);
  await until(QUIET_FROM_MS);
  const [first, from] = [cpuMs(), performance.now()];
  await until(QUIET_UNTIL_MS);
  const [second, quietUntil] = [cpuMs(), performance.now()];
  await until(QUIET_FROM_MS);
  const [third, wholeUntil] = [cpuMs(), performance.now()];
  return {
    whole: (100 * (third - first)) / (wholeUntil - from),
    quiet: (100 * (second - first)) / (quietUntil - from),
  };
}

/** Resolves when everything can fire. */
function start(): Promise<ChildProcess> {
  const npm = spawn('npm', ['start', '--', '--json', '--environment', ENVIRONMENT], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a signal reaches npm and what it started.
    detached: true,
  });
  let said = '';
  return new Promise((resolve, reject) => {
    npm.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    npm.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      if (chunk.includes('"type":"ready"')) resolve(npm);
    });
    npm.once('close', () => reject(new Error(said)));
  });
}

async function stop(npm: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => npm.once('close', resolve));
  process.kill(-(npm.pid ?? 0), 'SIGINT');
  await ended;
}
