/** What `belfry plan` says of the dev environment where it was deployed: `node .ci/planned-change.ts [declare|done <folder>]`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { App } from 'aws-cdk-lib/core';
import { EnvironmentStage } from '../lib/stacks/environment-stage.ts';
import { environments } from '../lib/stacks/environments.ts';

interface Answer {
  readonly goesThrough: boolean;
  readonly jobs: readonly {
    readonly job: string;
    readonly policies: readonly { readonly policy: string }[];
    readonly occurrences: { readonly vanish: { readonly count: number }; readonly moved: { readonly count: number } };
  }[];
  readonly unchangedJobs: number;
}

/** The app with three changes: a time zone, an overlap policy, a job that is disabled. */
function declare(folder: string): void {
  const dev = environments.find(({ name }) => name === 'dev');
  assert(dev);
  const app = new App({ outdir: folder });
  new EnvironmentStage(app, {
    ...dev,
    jobs: {
      'invoice-dunning': { timeZone: 'Asia/Tokyo' },
      heartbeat: { overlap: 'allow' },
      'db-cleanup': { enabled: false },
    },
  });
  app.synth();
}

function plan(...args: readonly string[]): Answer {
  const belfry = ['bin/belfry.ts', 'plan', '--environment', 'dev', '--json', ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, belfry, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const answer = JSON.parse(stdout) as Answer;
  assert.equal(answer.goesThrough, true, stdout);
  return answer;
}

const [step, folder = ''] = process.argv.slice(2);
if (step === 'declare') {
  declare(folder);
  const { jobs, unchangedJobs } = plan('--to-templates', folder);
  assert.deepEqual(
    jobs.map(({ job, policies }) => [job, policies.map(({ policy }) => policy)]),
    [
      ['db-cleanup', ['enabled']],
      ['heartbeat', ['overlap']],
      ['invoice-dunning', ['timeZone']],
    ],
  );
  assert.equal(unchangedJobs, 1);
  assert.equal(jobs[0]?.occurrences.vanish.count, 14);
  assert.ok((jobs[2]?.occurrences.moved.count ?? 0) >= 9);
} else {
  // As deployed, whichever of the two it is: nothing would change.
  const { jobs } = step === 'done' ? plan('--to-templates', folder) : plan();
  assert.deepEqual(jobs, []);
}
console.log(`belfry plan says of the deployed dev environment what is so (${step ?? 'as it is'})`);
