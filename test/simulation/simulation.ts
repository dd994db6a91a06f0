import { runOnce } from '../../lambdas/runtime/index.ts';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { isDead, isFinished, type RunRecord } from '../../lib/domain/run/run-record.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { Item } from '../../lib/local/dynamodb/expression/attribute-value.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { MemoryDynamoDb } from '../support/memory-dynamodb.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { judgeRefusal, judgeRunWrite, judgeTurnWrite, recordIn, Violation, violated } from './invariants.ts';
import { type Delivery, type Invocation, WarmProcesses } from './invocation.ts';
import { Network } from './network.ts';
import { drawProfile, type Profile, type SimulationOptions, type SimulationResult } from './profile.ts';
import { SimulatedHandlers } from './simulated-handlers.ts';
import { SimulatedTime } from './simulated-time.ts';
import { judgeBodies, judgeEnd, type World } from './world-judges.ts';

const T0 = Date.parse('2026-11-02T13:00:00Z');
const MINUTE = 60_000;
const LAMBDA_RETRIES = 2;
const MOST_STEPS = 4_000;
const MOST_AT_ONCE = 4;

/** One world, from one seed: the product's runtime and store; all around them is simulated. */
export class Simulation {
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #profile: Profile;
  readonly #job: JobDefinition;
  readonly #db: MemoryDynamoDb;
  readonly #network: Network;
  readonly #time = new SimulatedTime(T0);
  readonly #trace: string[] = [];
  readonly #occurrences: readonly number[];
  readonly #queue: Delivery[] = [];
  readonly #invocations: Invocation[] = [];
  readonly #handlers: SimulatedHandlers;
  readonly #snapshots: Item[] = [];
  readonly #warm = new WarmProcesses();
  #faults: number;
  #restored = false;
  #violation: string | undefined;

  constructor(seed: number, options: SimulationOptions = {}) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#profile = drawProfile(this.#random, options.profile);
    const { overlap, maxAttempts, lease, occurrences, hideReturnedItems, forgetsTokens, maxSegments } = this.#profile;
    const delay = this.#profile.retryDelayMs;
    const retry = { maxAttempts, backoff: 'fixed' as const, initialDelayMs: delay, maxDelayMs: delay };
    this.#job = jobDefinition({ name: 'sim', overlap, lease, timeoutMs: 60_000, retry, maxSegments });
    this.#faults = this.#profile.faults;
    this.#occurrences = Array.from({ length: occurrences }, (_, i) => T0 + i * MINUTE);
    this.#db = new MemoryDynamoDb({
      ...(options.mutate === undefined ? {} : { mutate: options.mutate }),
      hideReturnedItems,
      remembersTokens: () => !forgetsTokens,
      onRefused: (input, before) => judgeRefusal(input, before),
      onWrite: (write) => {
        const sort = write.after?.sk?.S ?? '';
        if (write.input.TableName !== 'runs') return;
        if (sort.startsWith('R#')) {
          judgeRunWrite(write);
          if (write.after !== undefined) this.#snapshots.push(write.after);
        } else if (sort === '$' && !this.#restored) {
          judgeTurnWrite(write, (scheduledTime) => this.#record(scheduledTime));
        }
      },
    });
    this.#network = new Network(this.#db, (owner, what) => this.#note(`i${owner}`, what));
    this.#handlers = new SimulatedHandlers({
      random: this.#random,
      time: this.#time,
      db: this.#db,
      kinds: this.#profile.handlers,
      ordered: overlap !== 'allow',
      isJudged: () => !this.#restored,
      note: (owner, what) => this.#note(`i${owner}`, what),
    });
    for (const scheduledTime of this.#occurrences) this.#queue.push({ scheduledTime, lambdaRetries: LAMBDA_RETRIES });
  }

  async run(): Promise<SimulationResult> {
    let steps = 0;
    try {
      for (; steps < MOST_STEPS; steps++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (this.#violation !== undefined) break;
        if (!this.#restored) judgeBodies(this.#world());
        if (!this.#step()) break;
      }
      if (steps === MOST_STEPS && !this.#restored) violated('no end after so many steps');
      if (this.#violation === undefined && !this.#restored) judgeEnd(this.#world());
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.#violation ??= error.message;
    }
    for (const one of this.#invocations) one.ended = true;
    const violation = this.#violation === undefined ? {} : { violation: this.#violation };
    return { seed: this.#seed, profile: this.#profile, trace: this.#trace, steps, ...violation };
  }

  /** One action, drawn from those that are possible. False: nothing is left to happen. */
  #step(): boolean {
    const random = this.#random;
    const { pending, late } = this.#network;
    const choices: { weight: number; value: () => void }[] = [];
    const can = (weight: number, value: () => void) => choices.push({ weight, value });
    if (pending.length > 0) can(12, () => this.#network.deliver(random.pick(pending)));
    if (late.length > 0) can(2, () => this.#network.arriveLate(random.pick(late)));
    const running = this.#running().length;
    const startWeight = this.#profile.inOrder && running > 0 ? 0.5 : 6;
    if (this.#queue.length > 0 && running < MOST_AT_ONCE) can(startWeight, () => this.#start());
    if (this.#time.next !== undefined) can(pending.length === 0 ? 4 : 1, () => this.#time.passNext());
    if (this.#faults > 0) this.#addFaults(can);
    if (choices.length > 0 && !(choices.length === 1 && this.#time.next !== undefined && this.#isDone())) {
      this.#time.pass(random.below(40));
      random.weighted(choices.map(({ weight, value }) => ({ weight, value })))();
      return true;
    }
    if (this.#isDone()) return false;
    // All is quiet and something is unfinished: time goes by until the watchdog finds something to deliver.
    this.#time.pass(MINUTE);
    this.#watchdog();
    return true;
  }

  #addFaults(can: (weight: number, value: () => void) => void): void {
    const random = this.#random;
    const { pending } = this.#network;
    const { emphasis } = this.#profile;
    const fault = (weight: number, value: () => void) =>
      can(weight, () => {
        this.#faults--;
        value();
      });
    const running = this.#running();
    if (pending.length > 0) {
      fault(0.5, () => this.#network.loseRequest(random.pick(pending)));
      fault(1, () => this.#network.loseResponse(random.pick(pending)));
      fault(0.5, () => this.#network.throttle(random.pick(pending)));
      fault(emphasis === 'late' ? 8 : 1, () => this.#network.delay(random.pick(pending)));
    }
    if (running.length > 0) fault(0.7, () => this.#crash(random.pick(running), 'crash'));
    fault(0.7, () => this.#queue.push({ scheduledTime: random.pick(this.#occurrences), lambdaRetries: 0 }));
    fault(0.7, () => this.#time.pass(random.pick([6_000, 80_000, 200_000])));
    fault(0.4, () => this.#watchdog());
    if (this.#profile.restores && this.#snapshots.length > 0)
      fault(emphasis === 'restore' ? 8 : 1.5, () => this.#restore());
  }

  #note(what: string, more: string): void {
    this.#trace.push(`${this.#time.now} ${what} ${more}`);
  }

  /** An item is lost, or comes back as it once was. */
  #restore(): void {
    this.#restored = true;
    // The hardest one to tell: the run as the same invocation had it one attempt ago.
    const alike = this.#snapshots.filter((one) => {
      const run = this.#db.get('runs', one);
      const earlier = Number(one.fencingToken?.N) < Number(run?.fencingToken?.N);
      return one.status?.S === 'running' && one.claimToken?.S === run?.claimToken?.S && earlier;
    });
    const chooseAlike = alike.length > 0 && this.#random.chance(0.7);
    const snapshot = this.#random.pick(chooseAlike ? alike : this.#snapshots);
    const back = chooseAlike || this.#random.chance(0.5) ? snapshot : undefined;
    this.#note(
      'restore',
      `${snapshot.sk?.S} ${back === undefined ? 'lost' : `as ${back.status?.S} #${back.fencingToken?.N}`}`,
    );
    this.#db.overwrite('runs', snapshot, back);
  }

  #running(): Invocation[] {
    return this.#invocations.filter(({ ended }) => !ended);
  }

  #start(): void {
    const [delivery] = this.#queue.splice(this.#profile.inOrder ? 0 : this.#random.below(this.#queue.length), 1);
    if (delivery === undefined) return;
    const id = this.#invocations.length + 1;
    const turns = this.#warm.take(this.#random);
    const invocation: Invocation = { id, delivery, turns, ended: false };
    this.#invocations.push(invocation);
    const { skewMs } = this.#profile;
    const skew = skewMs === 0 ? 0 : this.#random.below(2 * skewMs) - skewMs;
    const endsAt = this.#time.now + this.#job.timeoutMs + 5_000;
    this.#note(`i${id}`, `starts for ${formatInstant(delivery.scheduledTime)}, clock ${skew} ms off`);
    const dependencies = {
      job: this.#currentJob(),
      turns,
      environment: 'simulation',
      scheduler: 'simulation',
      store: new DynamoDbRunStore(this.#network.clientOf(id), 'runs'),
      clock: this.#time.clockOf(id, skew),
      newClaimToken: () => `token-${id}`,
      print: () => {},
      wakeUps: { arm: async () => {} },
    };
    const context = {
      awsRequestId: 'shared',
      invokedFunctionArn: 'arn',
      getRemainingTimeInMillis: () => endsAt - this.#time.now,
    };
    const event = { job: this.#job.name, scheduledTime: formatInstant(delivery.scheduledTime) };
    runOnce(dependencies, event, this.#handlers.handlerOf(id), context).then(
      ({ outcome }) => this.#ended(invocation, outcome),
      (error: unknown) => this.#threw(invocation, error),
    );
    this.#time.at(endsAt + this.#random.below(700), 0, () => this.#crash(invocation, 'killed by Lambda'));
  }

  /** With fewer attempts once the first invocations have started, if the profile says so. */
  #currentJob(): JobDefinition {
    const lowered = this.#profile.lowersAttempts && this.#invocations.length > this.#occurrences.length;
    return lowered ? { ...this.#job, retry: { ...this.#job.retry, maxAttempts: 1 } } : this.#job;
  }

  #ended(invocation: Invocation, outcome: string): void {
    if (invocation.ended) return;
    this.#end(invocation);
    this.#warm.keep(invocation);
    this.#note(`i${invocation.id}`, `ends: ${outcome}`);
    if (outcome === 'succeeded' && !this.#restored) {
      const run = this.#record(invocation.delivery.scheduledTime);
      if (run?.status !== 'succeeded') this.#violation ??= `said succeeded, but the record says ${run?.status}`;
    }
  }

  #threw(invocation: Invocation, error: unknown): void {
    if (error instanceof Violation) this.#violation ??= error.message;
    if (invocation.ended) return;
    this.#note(`i${invocation.id}`, `throws ${error instanceof Error ? error.name : String(error)}`);
    this.#end(invocation);
    this.#warm.keep(invocation);
    this.#redeliver(invocation);
  }

  #crash(invocation: Invocation, how: string): void {
    if (invocation.ended) return;
    this.#note(`i${invocation.id}`, how);
    this.#end(invocation);
    this.#redeliver(invocation);
  }

  #end(invocation: Invocation): void {
    invocation.ended = true;
    this.#network.senderDied(invocation.id, () => this.#random.chance(0.5));
    this.#time.forget(invocation.id);
    this.#handlers.end(invocation.id);
  }

  #redeliver({ delivery }: Invocation): void {
    if (delivery.lambdaRetries > 0) this.#queue.push({ ...delivery, lambdaRetries: delivery.lambdaRetries - 1 });
  }

  #record(scheduledTime: number): RunRecord | undefined {
    return recordIn(this.#db, { job: this.#job.name, scheduledTime });
  }

  #world(): World {
    return {
      profile: this.#profile,
      occurrences: this.#occurrences,
      handlers: this.#handlers,
      record: (scheduledTime) => this.#record(scheduledTime),
    };
  }

  /** Delivers what is unfinished and not being worked on; closes what has no attempt left. */
  #watchdog(): void {
    const now = this.#time.now;
    const store = new DynamoDbRunStore(this.#network.clientOf(0), 'runs');
    for (const scheduledTime of this.#occurrences) {
      const run = this.#record(scheduledTime);
      const due =
        run === undefined || (run.status === 'pending' && (run.nextAttemptAt ?? 0) <= now) || isDead(run, now);
      if (!due) continue;
      if (run !== undefined && run.attempts >= this.#currentJob().retry.maxAttempts && this.#random.chance(0.5)) {
        store.closeExhausted(run, now).catch(() => {});
        this.#note('watchdog', `closes ${formatInstant(scheduledTime)}`);
      } else if (this.#queue.length < 8) {
        this.#queue.push({ scheduledTime, lambdaRetries: LAMBDA_RETRIES });
        this.#note('watchdog', `delivers ${formatInstant(scheduledTime)}`);
      }
    }
  }

  #isDone(): boolean {
    const quiet = this.#running().length === 0 && this.#queue.length === 0 && this.#network.pending.length === 0;
    if (!quiet || this.#network.late.length > 0) return false;
    return (
      this.#restored ||
      this.#occurrences.every((scheduledTime) => {
        const run = this.#record(scheduledTime);
        return run !== undefined && isFinished(run);
      })
    );
  }
}
