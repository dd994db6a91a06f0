import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { ManifestPart } from '../../lib/domain/job.ts';

/** What the input of a manifest's schedule says. */
export function readManifestInput(input: unknown): ManifestPart {
  const { manifest } = JSON.parse(String(input)) as { readonly manifest: string };
  return JSON.parse(brotliDecompressSync(Buffer.from(manifest, 'base64')).toString('utf8')) as ManifestPart;
}

/** The input of a manifest's schedule that says this. */
export function manifestInput(part: ManifestPart): string {
  return JSON.stringify({ manifest: brotliCompressSync(JSON.stringify(part)).toString('base64') });
}
