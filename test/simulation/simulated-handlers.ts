import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { JobHandler, JobRun } from '../../lambdas/runtime/index.ts';
import type { MemoryDynamoDb } from '../support/memory-dynamodb.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { violated } from './invariants.ts';
import type { HandlerKind } from './profile.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** A handler at work. */
export interface Body {
  readonly owner: number;
  readonly scheduledTime: number;
  readonly fencingToken: number;
}

export interface HandlerSettings {
  readonly random: SeededRandom;
  readonly time: SimulatedTime;
  readonly db: MemoryDynamoDb;
  readonly kinds: readonly HandlerKind[];
  /** The runs of the job exclude each other: they have windows. */
  readonly ordered: boolean;
  isJudged(): boolean;
  note(owner: number, what: string): void;
}

const LONGEST_WORK_MS = 20_000;

/** What handlers do in a simulation, and what is remembered of it. */
export class SimulatedHandlers {
  /** At work now. */
  readonly bodies = new Set<Body>();
  /** Fencing tokens that a body began with, by scheduled time. */
  readonly begun = new Map<number, Set<number>>();
  readonly windows: { readonly from: number | undefined; readonly to: number; readonly fencingToken: number }[] = [];
  readonly #settings: HandlerSettings;
  #serial = 0;

  constructor(settings: HandlerSettings) {
    this.#settings = settings;
  }

  handlerOf(owner: number): JobHandler {
    return async (run) => {
      const { fencingToken, attempt } = run;
      const scheduledTime = run.scheduledTime.getTime();
      const begun = this.begun.get(scheduledTime) ?? new Set();
      if (begun.has(fencingToken) && this.#settings.isJudged()) {
        violated('two bodies with one fencing token', { scheduledTime, fencingToken });
      }
      this.begun.set(scheduledTime, begun.add(fencingToken));
      const body = { owner, scheduledTime, fencingToken };
      this.bodies.add(body);
      this.#settings.note(owner, `body of attempt ${attempt} #${fencingToken}`);
      try {
        return await this.#work(run, owner);
      } finally {
        this.bodies.delete(body);
      }
    };
  }

  /** The process is gone, and its handlers with it. */
  end(owner: number): void {
    for (const body of this.bodies) if (body.owner === owner) this.bodies.delete(body);
  }

  effectsOf(idempotencyKey: string): number {
    return Number(this.#settings.db.get('effects', { pk: { S: idempotencyKey }, sk: { S: '$' } })?.n?.N ?? 0);
  }

  async #work(run: JobRun, owner: number): Promise<unknown> {
    const { random, time, kinds, ordered } = this.#settings;
    const kind = random.pick(kinds);
    if (ordered) {
      const { from, to } = run.window;
      this.windows.push({ from: from?.getTime(), to: to.getTime(), fencingToken: run.fencingToken });
    }
    await time.sleep(owner, random.below(LONGEST_WORK_MS));
    run.signal.throwIfAborted();
    switch (kind) {
      case 'commit': {
        const id = run.idempotencyKey;
        await run.commit([effect(id)]);
        if (this.effectsOf(id) !== 1 && this.#settings.isJudged())
          violated('commit resolved, but its effect is not there once', { id });
        return undefined;
      }
      case 'empty':
        return undefined;
      case 'plain':
        return { done: true };
      case 'step':
        return await run.step('one', () => ++this.#serial);
      case 'throw':
        throw new Error('simulated failure');
      case 'hang':
        return new Promise((_, reject) => run.signal.addEventListener('abort', () => reject(new Error('aborted'))));
      case 'continue':
        return random.chance(0.7) ? run.continueLater({ n: 1 }) : 'enough';
    }
  }
}

function effect(id: string): TransactWriteItem {
  return {
    Update: {
      TableName: 'effects',
      Key: { pk: { S: id }, sk: { S: '$' } },
      UpdateExpression: 'ADD #n :one',
      ExpressionAttributeNames: { '#n': 'n' },
      ExpressionAttributeValues: { ':one': { N: '1' } },
    },
  };
}
