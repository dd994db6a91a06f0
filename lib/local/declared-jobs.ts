import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobDefinition } from '../domain/job.ts';
import { readCloudAssembly } from './assembly/cloud-assembly.ts';
import { readResources } from './assembly/read-resources.ts';
import { synthesise } from './assembly/synthesise.ts';

/**
 * The jobs that the app in a folder declares for one of its environments, by name. Synthesises it apart from what
 * `belfry dev` uses, and leaves nothing behind.
 * @throws BelfryError `NoCdkApp`, `SynthFailed`, `UnknownEnvironment`
 */
export async function declaredJobs(projectFolder: string, environment: string): Promise<readonly JobDefinition[]> {
  const outdir = mkdtempSync(join(tmpdir(), 'belfry-synth-'));
  try {
    await synthesise({ projectFolder, outdir, environment });
    const jobs = new Map<string, JobDefinition>();
    for (const { jobs: own } of readResources(readCloudAssembly(outdir, environment)).functions) {
      for (const job of own) jobs.set(job.name, job);
    }
    return [...jobs.values()].sort((one, other) => one.name.localeCompare(other.name));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
