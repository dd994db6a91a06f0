import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../../shared/cron');

/** Rows of a corpus that lies beside the repository; undefined, with a notice, where it does not. */
export function corpusRows<Row>(file: string): Row[] | undefined {
  const path = resolve(FOLDER, file);
  if (!existsSync(path)) {
    process.stderr.write(`notice: ${file} is not at ${path}, so its rows are not checked\n`);
    return undefined;
  }
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}
