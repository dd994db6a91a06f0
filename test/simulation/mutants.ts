import type { Condition } from '../../lib/local/dynamodb/expression/condition.ts';
import type { WriteInput } from '../support/memory-dynamodb.ts';
import { probe } from './probes.ts';
import type { Profile } from './profile.ts';
import { Simulation } from './simulation.ts';

/** One clause of one condition of one write, taken away. */
export interface Mutant {
  readonly write: string;
  /** Position of the clause in the condition, from the left. */
  readonly clause: number;
  readonly text: string;
}

const ALWAYS: Condition = { kind: 'and', terms: [] };
const NEVER: Condition = { kind: 'or', terms: [] };

/** What kind of write it is: the same expressions are the same write. */
export function nameOfWrite(input: WriteInput): string {
  const status = input.ExpressionAttributeValues?.[':status']?.S ?? input.Item?.status?.S ?? '';
  return [status, input.UpdateExpression ?? 'Put', 'IF', input.ConditionExpression].join(' ').trim();
}

function clausesOf(condition: Condition): Condition[] {
  return condition.kind === 'and' || condition.kind === 'or' ? condition.terms.flatMap(clausesOf) : [condition];
}

/** Taken from an AND a clause leaves the others; taken from an OR, an alternative is gone. */
export function without(condition: Condition, clause: number): Condition {
  let position = -1;
  const visit = (node: Condition, inOr: boolean): Condition => {
    if (node.kind === 'and' || node.kind === 'or') {
      return { kind: node.kind, terms: node.terms.map((term) => visit(term, node.kind === 'or')) };
    }
    position++;
    return position === clause ? (inOr ? NEVER : ALWAYS) : node;
  };
  return visit(condition, false);
}

/** Every clause of every condition that the simulation sends to the run table. */
export async function findMutants(seeds: number): Promise<Mutant[]> {
  const found = new Map<string, { condition: Condition; names: Readonly<Record<string, string>> }>();
  for (let seed = 0; seed < seeds; seed++) {
    await new Simulation(seed, {
      mutate(condition, input) {
        if (input.TableName === 'runs')
          found.set(nameOfWrite(input), { condition, names: input.ExpressionAttributeNames ?? {} });
        return condition;
      },
    }).run();
  }
  return [...found].flatMap(([write, { condition }]) =>
    clausesOf(condition).map((clause, index) => ({ write, clause: index, text: describeClause(clause) })),
  );
}

function describeClause(clause: Condition): string {
  if (clause.kind === 'call') return `${clause.name}(${clause.operands.map(describeOperand).join(', ')})`;
  if (clause.kind === 'compare')
    return `${describeOperand(clause.left)} ${clause.comparator} ${describeOperand(clause.right)}`;
  return clause.kind;
}

function describeOperand(operand: Extract<Condition, { kind: 'call' }>['operands'][number]): string {
  if (operand.kind === 'path') return operand.path.join('.');
  if (operand.kind === 'value') return JSON.stringify(Object.values(operand.value)[0]);
  return 'size';
}

/** Worlds in which a missing clause shows sooner than in just any. */
const FOCUSES: readonly Partial<Profile>[] = [
  { faults: 12 },
  busy({ overlap: 'cancelOther', handlers: ['throw', 'hang'], retryDelayMs: 20_000 }),
  busy({ overlap: 'cancelOther', handlers: ['throw', 'empty'], lowersAttempts: true }),
  busy({ overlap: 'cancelOther', handlers: ['throw'], retryDelayMs: 500, emphasis: 'late' }),
  busy({ overlap: 'allow', occurrences: 1, handlers: ['throw'], lowersAttempts: true }),
  alone({ handlers: ['throw', 'step', 'continue'] }),
  busy({ overlap: 'skip', restores: true, emphasis: 'restore' }),
  busy({ overlap: 'skip', emphasis: 'late', handlers: ['empty'] }),
  busy({ overlap: 'bufferOne', restores: true, emphasis: 'restore', handlers: ['empty'] }),
  busy({ overlap: 'bufferOne', emphasis: 'late', handlers: ['empty'] }),
];

/** Several occurrences that get into each other's way. */
function busy(more: Partial<Profile>): Partial<Profile> {
  return { faults: 30, occurrences: 4, maxAttempts: 3, skewMs: 0, ...more };
}

/** One occurrence whose record is lost and found while the same invocation makes attempt after attempt. */
function alone(more: Partial<Profile>): Partial<Profile> {
  const losses = { restores: true, emphasis: 'restore', retryDelayMs: 500 } as const;
  return { faults: 40, occurrences: 1, maxAttempts: 3, skewMs: 0, overlap: 'allow', ...losses, ...more };
}

/** The first violation that taking the clause away leads to, or undefined after so many seeds in each kind of world. */
export async function huntMutant(mutant: Mutant, seedsEach: number): Promise<string | undefined> {
  const mutate = (condition: Condition, input: WriteInput) =>
    input.TableName === 'runs' && nameOfWrite(input) === mutant.write ? without(condition, mutant.clause) : condition;
  const found = await probe(mutate);
  if (found !== undefined) return found;
  for (const profile of FOCUSES) {
    for (let seed = 0; seed < seedsEach; seed++) {
      const { violation } = await new Simulation(seed, { profile, mutate }).run();
      if (violation !== undefined) return `${violation} (seed ${seed})`;
    }
  }
  return undefined;
}
