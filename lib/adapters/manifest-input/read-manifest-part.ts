import { brotliDecompressSync } from 'node:zlib';
import { assertReadable } from '../../domain/contract/version.ts';
import { BelfryError } from '../../domain/errors.ts';
import type { ManifestPart } from '../../domain/job.ts';

/**
 * Reads a part of the manifest from the input of the schedule that holds it.
 * @throws BelfryError `UnreadableManifest`, `WrittenByNewerRelease`
 */
export function readManifestPart(input: string): ManifestPart {
  let part: ManifestPart;
  try {
    const { manifest } = JSON.parse(input) as { readonly manifest: string };
    part = JSON.parse(brotliDecompressSync(Buffer.from(manifest, 'base64')).toString('utf8')) as ManifestPart;
  } catch (cause) {
    throw new BelfryError(
      'UnreadableManifest',
      `the manifest '${input.slice(0, 40)}' cannot be read: somebody changed its schedule; deploy the stacks of the jobs again`,
      { cause },
    );
  }
  assertReadable('the manifest', part.version);
  return part;
}
