import { readManifestPart } from '../../lib/adapters/manifest-input/read-manifest-part.ts';
import { manifestPartNames, scheduleGroup } from '../../lib/domain/contract/names.ts';
import { CONTRACT_VERSION } from '../../lib/domain/contract/version.ts';
import { BelfryError } from '../../lib/domain/errors.ts';
import type { Manifest } from '../../lib/domain/job.ts';
import type { FoundSchedule } from '../../lib/domain/watch/plan-cause.ts';
import { type WatchedManifest, watchManifest } from './watched-manifest.ts';

export interface DeployedManifestOptions extends Pick<Manifest, 'environment' | 'scheduler' | 'jobsStacks'> {
  /** Over how many stacks the jobs are spread: each has a part of the manifest. */
  readonly stacks: number;
  /** Looks at a schedule of the group. */
  readonly look: (name: string) => Promise<FoundSchedule>;
}

/**
 * The manifest as it is deployed now. It is read for each sweep, as many schedules as there are stacks of jobs: a job is
 * watched from the minute on in which its stack is deployed.
 */
export class DeployedManifest {
  readonly #options: DeployedManifestOptions;
  #inputs: readonly string[] = [];
  #manifest: WatchedManifest | undefined;

  constructor(options: DeployedManifestOptions) {
    this.#options = options;
  }

  /**
   * What was read before is given again when nothing has changed since. A part that cannot be read ends the sweep: without
   * it its jobs would count as removed. The next sweep takes up all that is due by then.
   * @throws BelfryError `ManifestGone` or `UnreadableManifest`
   */
  async read(): Promise<WatchedManifest> {
    const { environment, scheduler, jobsStacks, stacks } = this.#options;
    const inputs = await Promise.all(manifestPartNames(scheduler, stacks).map((name) => this.#input(name)));
    const known = this.#manifest;
    if (known !== undefined && inputs.every((input, index) => input === this.#inputs[index])) return known;
    const parts = inputs.map(readManifestPart);
    const jobs = parts.flatMap((part) => part.jobs).sort((a, b) => (a.name < b.name ? -1 : 1));
    const manifest = watchManifest({
      version: CONTRACT_VERSION,
      environment,
      scheduler,
      jobsStacks,
      jobs,
      disabled: parts.flatMap((part) => part.disabled ?? []),
      functions: Object.assign({}, ...parts.map((part) => part.functions)),
      awsSchedules: Object.assign({}, ...parts.map((part) => part.awsSchedules)),
    });
    this.#manifest = manifest;
    this.#inputs = inputs;
    return manifest;
  }

  async #input(name: string): Promise<string> {
    const { found } = await this.#options.look(name);
    if (found === undefined) {
      const { scheduler, jobsStacks } = this.#options;
      throw new BelfryError(
        'ManifestGone',
        `there is no schedule '${name}' in group '${scheduleGroup(scheduler)}', which says what jobs there are: deploy the stacks of the jobs again, cdk deploy '${jobsStacks}'`,
      );
    }
    return found.input;
  }
}
