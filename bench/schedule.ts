// bench: the schedule language beside croner, cron-parser and cron-schedule
//
// The next occurrence, chained; and reading an expression up to its first occurrence. A figure is the median of several
// rounds of one process, the libraries taking turns within a round, so that what disturbs the machine disturbs all of
// them. `--quick` for fewer and shorter rounds.
import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import Table from 'cli-table3';
import { type Candidate, candidates, EXPRESSIONS, START, ZONES } from './schedule-candidates.ts';
import { memoryOfAYear, nanosecondsNow, refusalTimes } from './schedule-limits.ts';

const isQuick = process.argv.includes('--quick');
const ROUNDS = isQuick ? 5 : 15;
const ROUND_NS = isQuick ? 300_000 : 2_000_000;
const OURS = 'belfry';
const PLAIN = { style: { head: [], border: [], compact: true } };

interface Measured {
  readonly expression: string;
  /** Nanoseconds, by library; NaN where it cannot. */
  readonly next: ReadonlyMap<string, number>;
  readonly cold: ReadonlyMap<string, number>;
}

printHeader();
for (const timeZone of ZONES) {
  const measured = EXPRESSIONS.map((expression) => measure(expression, timeZone));
  printTable(timeZone, 'next occurrence, chained', measured, ({ next }) => next);
  printTable(timeZone, 'read + first occurrence', measured, ({ cold }) => cold);
  const own = measured.map(({ next }) => next.get(OURS) ?? Number.NaN);
  const worst = measured.find(({ next }) => next.get(OURS) === Math.max(...own));
  print(
    `worst against median, ${timeZone}: ${ratio(Math.max(...own), median(own))} ('${worst?.expression}'; allowed 20x)\n`,
  );
}
printLimits();

function measure(expression: string, timeZone: string): Measured {
  const next = new Map<string, number[]>();
  const cold = new Map<string, number[]>();
  const running = candidates(timeZone).map((candidate) => ({ candidate, chain: startChain(candidate, expression) }));
  for (const { candidate, chain } of running) {
    if (chain !== undefined) warmUp(chain, () => candidate.first(expression, START));
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { candidate, chain } of running) {
      note(next, candidate.name, chain === undefined ? Number.NaN : timed(chain));
      note(cold, candidate.name, chain === undefined ? Number.NaN : timed(() => candidate.first(expression, START)));
    }
  }
  return { expression, next: medians(next), cold: medians(cold) };
}

/** One step of a chain of occurrences that starts over before it leaves the libraries' common range. */
function startChain(candidate: Candidate, expression: string): (() => void) | undefined {
  try {
    const step = candidate.chain(expression, START);
    step();
    candidate.first(expression, START);
    return step;
  } catch {
    return undefined;
  }
}

/** Compiled code and known zones, before anything is measured. */
function warmUp(chain: () => void, first: () => void): void {
  const until = nanosecondsNow() + (isQuick ? 20e6 : 60e6);
  while (nanosecondsNow() < until) {
    for (let index = 0; index < 50; index++) chain();
    first();
  }
}

/** Nanoseconds per call, from as many calls as fill a round. */
function timed(call: () => void): number {
  let calls = 1;
  for (;;) {
    const begin = nanosecondsNow();
    for (let index = 0; index < calls; index++) call();
    const taken = nanosecondsNow() - begin;
    if (taken >= ROUND_NS || calls >= 1e7) return taken / calls;
    calls = Math.max(calls * 2, Math.ceil((calls * ROUND_NS) / Math.max(taken, 1)));
  }
}

function note(figures: Map<string, number[]>, name: string, figure: number): void {
  figures.set(name, [...(figures.get(name) ?? []), figure]);
}

function medians(figures: ReadonlyMap<string, readonly number[]>): Map<string, number> {
  return new Map([...figures].map(([name, all]) => [name, median(all)]));
}

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

function printTable(
  timeZone: string,
  title: string,
  measured: readonly Measured[],
  figuresOf: (row: Measured) => ReadonlyMap<string, number>,
): void {
  const others = candidates(timeZone)
    .map(({ name }) => name)
    .filter((name) => name !== OURS);
  const table = new Table({
    head: [`${timeZone}: ${title}`, OURS, ...others.flatMap((name) => [name, 'ratio'])],
    ...PLAIN,
    colAligns: ['left', ...Array<'right'>(1 + 2 * others.length).fill('right')],
  });
  const ratios = new Map<string, number[]>(others.map((name) => [name, []]));
  for (const row of measured) {
    const figures = figuresOf(row);
    const own = figures.get(OURS) ?? Number.NaN;
    const cells = others.flatMap((name) => {
      const other = figures.get(name) ?? Number.NaN;
      if (!Number.isNaN(other)) ratios.get(name)?.push(other / own);
      return [nanoseconds(other), ratio(other, own)];
    });
    table.push([row.expression, nanoseconds(own), ...cells]);
  }
  const summary = (pick: (all: number[]) => number) =>
    others.flatMap((name) => ['', `${pick(ratios.get(name) ?? []).toFixed(1)}x`]);
  table.push(
    ['median of the ratios', '', ...summary(median)],
    ['least of the ratios', '', ...summary((all) => Math.min(...all))],
  );
  print(table.toString());
}

function printLimits(): void {
  const table = new Table({ head: ['refused (allowed: 5 ms)', 'code', 'median of 51', 'longest'], ...PLAIN });
  for (const { what, code, medianMs, longestMs } of refusalTimes()) {
    table.push([what, code, `${medianMs.toFixed(3)} ms`, `${longestMs.toFixed(3)} ms`]);
  }
  print(table.toString());
  const { count, heapMb } = memoryOfAYear();
  print(
    `a year of '* * * * *', New York: ${count.toLocaleString('en-US')} occurrences, heap grown by ${heapMb.toFixed(1)} MB at most`,
  );
}

function printHeader(): void {
  const versions = ['croner', 'cron-parser', 'cron-schedule', 'luxon'].map((name) => `${name} ${versionOf(name)}`);
  print(styleText('bold', 'schedule language', { stream: process.stdout, validateStream: true }));
  print(
    `Node ${process.versions.node}, V8 ${process.versions.v8}, tz ${process.versions.tz}, ${process.platform} ${process.arch}`,
  );
  print(versions.join(', '));
  print(
    `${EXPRESSIONS.length} expressions, medians of ${ROUNDS} rounds of ${ROUND_NS / 1e6} ms, libraries in turn, one process`,
  );
  print(`reading remembers what a text means, as in every long-lived process; nothing remembered: ${firstReading()}\n`);
}

/** What reading costs a process that has read nothing yet. */
function firstReading(): string {
  const [belfry] = candidates('UTC');
  const begin = nanosecondsNow();
  for (const expression of EXPRESSIONS) belfry?.first(expression, START);
  return `${((nanosecondsNow() - begin) / EXPRESSIONS.length / 1000).toFixed(0)} µs each (cold code too)`;
}

function versionOf(name: string): string {
  const path = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return String((JSON.parse(readFileSync(path, 'utf8')) as { version: unknown }).version);
}

function nanoseconds(value: number): string {
  if (Number.isNaN(value)) return 'cannot';
  return value >= 10_000 ? `${(value / 1000).toFixed(1)} µs` : `${value.toFixed(0)} ns`;
}

function ratio(other: number, own: number): string {
  return Number.isNaN(other) ? '' : `${(other / own).toFixed(1)}x`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
