// bench: synth of 1,000 jobs and of a fleet of 10,000, beside the app that one would write with NodejsFunction and Schedule.
// Every app is synthesised in a process of its own, CDK's own template validation off in all of them. The naive app is
// measured at 20 and 50 jobs and extrapolated along the line through both: at 1,000 it takes a quarter of an hour.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
  readonly resources: number;
  readonly stacks: number;
  readonly largestStack: number;
  /** Of each stack's template. */
  readonly digests: Readonly<Record<string, string>>;
}

function synth(kind: string, jobs: number): Measured {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=2048', join(import.meta.dirname, 'synth', 'app.ts'), kind, String(jobs)],
    { encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  if (status !== 0) throw new Error(`${kind} with ${jobs} jobs failed: ${stderr}`);
  const measured = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measured;
  console.log(
    `${kind.padEnd(6)} ${String(jobs).padStart(6)} jobs  ${measured.seconds.toFixed(1).padStart(6)} s  ${String(measured.megabytes).padStart(5)} MB  ${measured.stacks} stacks, the largest of ${measured.largestStack} resources`,
  );
  return measured;
}

/** There should be one: that of the job. */
function tellChanges(kind: string, before: Measured, after: Measured): void {
  const changed = Object.keys(after.digests).filter((stack) => before.digests[stack] !== after.digests[stack]);
  const names = changed.map((name) => name.replace('.template.json', '')).join(', ');
  console.log(`${kind}: one job more changes ${changed.length} of ${after.stacks} stacks: ${names}`);
}

const few = synth('naive', 20);
const more = synth('naive', 50);
const own = synth('own', 1000);
const fleetSmall = synth('fleet', 1000);
const fleet = synth('fleet', 10_000);

tellChanges('own', own, synth('own', 1001));
tellChanges('fleet', fleetSmall, synth('fleet', 1001));

const perJob = (more.seconds - few.seconds) / 30;
const naive = few.seconds + perJob * 980;
console.log(`naive, 1,000 jobs: ${naive.toFixed(0)} s, extrapolated from ${perJob.toFixed(2)} s a job`);
console.log(
  `own functions are ${(naive / own.seconds).toFixed(0)} times as fast, a fleet ${(naive / fleetSmall.seconds).toFixed(0)} times`,
);

const marginal = (kind: string, jobs: Measured, count: number) => {
  const base = synth(kind, 1);
  return ((jobs.resources - base.resources) / (count - 1)).toFixed(3);
};
console.log(`resources a job: own function ${marginal('own', own, 1000)}, fleet ${marginal('fleet', fleet, 10_000)}`);
