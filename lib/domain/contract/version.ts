import { BelfryError } from '../errors.ts';

/** Of the manifest and of the records. It grows when a release writes what the ones before would misread. */
export const CONTRACT_VERSION = 1;

/**
 * Refuses what a newer release wrote.
 * @param what what was read, e.g. `the manifest`
 * @throws BelfryError `WrittenByNewerRelease`
 */
export function assertReadable(what: string, version: number): void {
  if (version > CONTRACT_VERSION) {
    throw new BelfryError(
      'WrittenByNewerRelease',
      `${what} has version ${version}, this release of cdk-belfry reads up to ${CONTRACT_VERSION}: use the release that wrote it, or a newer one`,
    );
  }
}
