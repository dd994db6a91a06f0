import { readFileSync } from 'node:fs';

/** Rows of a file that was shipped beside the code: a header line, commas, no quotes. */
export function csvRows<Column extends string>(file: URL): Record<Column, string>[] {
  const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  const columns = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])) as Record<Column, string>;
  });
}
