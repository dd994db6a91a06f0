import { BelfryError } from '../../domain/errors.ts';

/**
 * Refuses options that a job may not have where it is, because they would change nothing.
 *
 * @param why who decides instead, as the second half of a sentence
 * @throws BelfryError `OptionWithoutEffect`
 */
export function assertEffective(job: string, given: object, options: readonly string[], why: string): void {
  const idle = options.filter((option) => option in given && given[option as keyof typeof given] !== undefined);
  if (idle.length > 0) {
    throw new BelfryError(
      'OptionWithoutEffect',
      `job '${job}': ${idle.join(', ')} would change nothing: ${why}, so set it there`,
    );
  }
}
