import { readFileSync } from 'node:fs';
import { BelfryError } from '../../domain/errors.ts';

/**
 * A JSON file that somebody else wrote.
 * @throws BelfryError `UnreadableFile`
 */
export function readJson<Content>(file: string): Content {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Content;
  } catch (cause) {
    const why =
      cause instanceof SyntaxError ? `is not valid JSON: ${cause.message}` : `cannot be read: ${String(cause)}`;
    throw new BelfryError('UnreadableFile', `${file} ${why}; write it again, e.g. with cdk synth`, { cause });
  }
}
