import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 100_000) {
    throw new InvalidArgumentError('Give a whole number from 1 to 100000.');
  }
  return count;
}
