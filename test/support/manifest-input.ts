import { brotliCompressSync } from 'node:zlib';
import { readManifestPart } from '../../lib/adapters/manifest-input/read-manifest-part.ts';
import type { ManifestPart } from '../../lib/domain/job.ts';

/** What the input of a manifest's schedule says. */
export function readManifestInput(input: unknown): ManifestPart {
  return readManifestPart(String(input));
}

/** The input of a manifest's schedule that says this. */
export function manifestInput(part: ManifestPart): string {
  return JSON.stringify({ manifest: brotliCompressSync(JSON.stringify(part)).toString('base64') });
}
