import { formatInstant } from '../domain/time/instant.ts';
import { AlarmEvaluator } from './alarms/alarm-evaluator.ts';
import type { LocalResources, ScheduleResource } from './assembly/resources.ts';
import type { VirtualClock } from './clock/virtual-clock.ts';
import { DeadLetters } from './dead-letters.ts';
import { DynamoDbEndpoint } from './dynamodb/dynamodb-endpoint.ts';
import { EndpointServer } from './endpoints/endpoint-server.ts';
import { lambdaRoute } from './endpoints/lambda-route.ts';
import { schedulerRoute } from './endpoints/scheduler-route.ts';
import { FaultDice } from './faults/fault-dice.ts';
import type { FaultSettings } from './faults/fault-settings.ts';
import { planDelivery } from './faults/plan-delivery.ts';
import { ProcessFaults } from './faults/process-faults.ts';
import { FunctionFleet } from './function-fleet.ts';
import { loadApp } from './load-app.ts';
import type { JobLine, LocalEvent } from './local-event.ts';
import { planReload } from './reload/plan-reload.ts';
import type { RuntimeInside } from './runtime-inside.ts';
import { RuntimeSchedules } from './schedules/runtime-schedules.ts';
import { type Firing, ScheduleDriver } from './schedules/schedule-driver.ts';
import { StateFolder } from './state-folder.ts';

export interface LocalRuntimeOptions {
  /** Folder with cdk.json. */
  readonly projectFolder: string;
  readonly environment: string;
  readonly clock: VirtualClock;
  /** Deletes the environment's data first. */
  readonly fresh: boolean;
  /** Port of the endpoint for the SDK; when left out, one that is free. */
  readonly port?: number;
  readonly emit: (event: LocalEvent) => void;
  /** What goes wrong on purpose. */
  readonly faults?: FaultSettings;
  /** Keeps firings from happening, as if EventBridge had lost them. */
  readonly suppress?: (schedule: ScheduleResource, scheduledTime: number) => boolean;
}

/** The deployed environment on this machine: its tables, functions, schedules and alarms, on one clock. */
export class LocalRuntime {
  readonly #options: LocalRuntimeOptions;
  readonly #folder: StateFolder;
  readonly #dynamoDb: DynamoDbEndpoint;
  readonly #fleet: FunctionFleet;
  readonly #driver: ScheduleDriver;
  readonly #runtimeSchedules: RuntimeSchedules;
  readonly #alarms: AlarmEvaluator;
  readonly #deadLetters: DeadLetters;
  readonly #groups = new Set<string>();
  readonly #counts = { fired: 0, runs: 0, missed: 0 };
  #endpoint: EndpointServer | undefined;
  #resources: LocalResources;

  /**
   * Synthesises the app and makes everything ready; nothing fires before `run()`.
   * @throws BelfryError saying what is wrong and what to change
   */
  static async prepare(options: LocalRuntimeOptions): Promise<LocalRuntime> {
    const { projectFolder, environment, emit } = options;
    const folder = StateFolder.open(projectFolder, environment, options.fresh);
    let dynamoDb: DynamoDbEndpoint | undefined;
    try {
      const [loaded, started] = await Promise.allSettled([
        loadApp(projectFolder, environment, folder),
        DynamoDbEndpoint.start(folder.file('dynamodb'), options.clock.offset, (text) =>
          emit({ type: 'note', level: 'error', text }),
        ),
      ]);
      if (started.status === 'fulfilled') dynamoDb = started.value;
      if (loaded.status === 'rejected') throw loaded.reason;
      if (started.status === 'rejected') throw started.reason;
      const resources = loaded.value;
      for (const text of resources.notes) emit({ type: 'note', level: 'warn', text });
      await started.value.createTables(resources.tables);
      const runtime = new LocalRuntime(options, folder, started.value, resources);
      await runtime.#listen();
      return runtime;
    } catch (error) {
      await dynamoDb?.close();
      folder.close();
      throw error;
    }
  }

  private constructor(
    options: LocalRuntimeOptions,
    folder: StateFolder,
    dynamoDb: DynamoDbEndpoint,
    resources: LocalResources,
  ) {
    const { clock, suppress, faults } = options;
    this.#options = options;
    const dice = faults === undefined ? undefined : new FaultDice(faults);
    const report = (text: string) => this.#emit({ type: 'note', level: 'warn', text });
    if (faults !== undefined) dynamoDb.setFaults(faults, report);
    this.#folder = folder;
    this.#dynamoDb = dynamoDb;
    this.#resources = resources;
    const deadLetters = new DeadLetters(folder, resources.queues);
    this.#deadLetters = deadLetters;
    this.#alarms = new AlarmEvaluator({
      clock,
      alarms: resources.alarms,
      onChange: ({ alarm, from, state, reason, at }) => {
        // That an alarm finds its first data in order is no news.
        if (from === 'INSUFFICIENT_DATA' && state === 'OK') return;
        this.#emit({ type: 'alarm', name: alarm.name, state, severity: alarm.severity, reason, at: formatInstant(at) });
      },
      sample: (add) => {
        for (const datum of deadLetters.metrics(clock.now() - 1)) add(datum);
      },
    });
    this.#fleet = new FunctionFleet({
      clock,
      resources: resources.functions,
      logFile: (name) => folder.file('logs', `${name}.log`),
      deadLetters,
      addMetric: (datum) => this.#alarms.add(datum),
      emit: (event) => this.#emit(event),
      endpoints: () => ({ dynamoDb: dynamoDb.url, other: this.#endpoint?.url ?? '' }),
      ...(dice === undefined ? {} : { faults: new ProcessFaults(dice, report) }),
    });
    this.#driver = new ScheduleDriver({
      clock,
      fire: (firing) => (dice === undefined ? this.#fire(firing) : this.#fireFaulty(firing, dice)),
      ...(suppress === undefined ? {} : { suppress }),
      onCompleted: () => this.#runtimeSchedules.save(),
    });
    this.#runtimeSchedules = new RuntimeSchedules(folder, this.#driver, resources.schedules);
    for (const { group } of resources.schedules) this.#groups.add(group);
  }

  /** Lets the time run. Everything can fire from here on. */
  run(): void {
    const { clock } = this.#options;
    const from = clock.now();
    this.#driver.start(from);
    // Where other commands find what runs here.
    this.#folder.writeJson('runtime.json', { pid: process.pid, dynamoDb: this.#dynamoDb.url });
    this.#emit({ type: 'ready', at: formatInstant(from), jobs: this.#jobs(), endpoint: this.#endpoint?.url ?? '' });
    this.#alarms.start();
    clock.start();
  }

  /**
   * Synthesises the app again and takes over what changed: data, clock, running invocations and alarm states stay.
   * @throws BelfryError when the app fails; then everything goes on as it was
   */
  async reload(): Promise<void> {
    const { projectFolder, environment, clock } = this.#options;
    const resources = await loadApp(projectFolder, environment, this.#folder);
    const { changedFunctions, summary } = planReload(this.#resources, resources);
    if (summary.length === 0) return;
    await this.#dynamoDb.createTables(resources.tables);
    await this.#fleet.update(resources.functions, changedFunctions);
    this.#runtimeSchedules.declare(resources.schedules);
    for (const { group } of resources.schedules) this.#groups.add(group);
    this.#deadLetters.setQueues(resources.queues);
    this.#alarms.setAlarms(resources.alarms);
    for (const text of resources.notes) {
      if (!this.#resources.notes.includes(text)) this.#emit({ type: 'note', level: 'warn', text });
    }
    this.#resources = resources;
    this.#emit({ type: 'reloaded', at: formatInstant(clock.now()), jobs: this.#jobs(), summary });
  }

  /** What the console shows and acts on. */
  get inside(): RuntimeInside {
    const { clock, environment } = this.#options;
    const fleet = this.#fleet;
    const ofJob = (name: string) => [...fleet.functions.values()].find(({ resource }) => resource.job?.name === name);
    return {
      environment,
      clock,
      dynamoDbUrl: this.#dynamoDb.url,
      get functions() {
        return [...fleet.functions.values()].map(({ resource }) => resource);
      },
      alarms: this.#alarms.states,
      nextFiring: (job) => {
        const lambda = ofJob(job);
        return lambda === undefined ? undefined : this.#driver.nextOf(lambda.resource.arn);
      },
      deliver: (job, event) => {
        const lambda = ofJob(job);
        if (lambda !== undefined) this.#fleet.invoker.accept(lambda, JSON.stringify(event));
      },
      logFile: (functionName) => this.#folder.file('logs', `${functionName}.log`),
    };
  }

  /** Fires nothing any more, lets running jobs end for `drainMs` of real time, and leaves the folder to others. */
  async stop(drainMs: number): Promise<void> {
    const { clock } = this.#options;
    const release = clock.hold();
    this.#driver.stop();
    this.#alarms.stop();
    const cutOff = await this.#fleet.drain(drainMs);
    if (cutOff > 0) {
      const text = `${cutOff} ${cutOff === 1 ? 'job was' : 'jobs were'} still running after ${drainMs / 1000} s and ended by force; the watchdog finds them on the next start`;
      this.#emit({ type: 'note', level: 'warn', text });
    }
    const at = clock.now();
    clock.stop();
    release();
    this.#endpoint?.close();
    await this.#dynamoDb.close();
    this.#folder.close();
    this.#emit({ type: 'stopped', ...this.#counts, at: formatInstant(at) });
  }

  /** Ends everything at once: running jobs are killed where they are. */
  async kill(): Promise<void> {
    await this.#fleet.close();
  }

  async #listen(): Promise<void> {
    this.#endpoint = await EndpointServer.listen(
      [
        lambdaRoute(this.#fleet.functions, this.#fleet.invoker),
        schedulerRoute({ driver: this.#driver, groups: this.#groups, onChange: () => this.#runtimeSchedules.save() }),
      ],
      this.#options.port,
    );
  }

  #jobs(): JobLine[] {
    const jobs: JobLine[] = [];
    for (const { resource } of this.#fleet.functions.values()) {
      if (resource.job === undefined) continue;
      const { name, schedule, timeZone } = resource.job;
      jobs.push({ name, schedule, timeZone, next: this.#nextOf(resource.arn) });
    }
    return jobs.sort((left, right) => left.name.localeCompare(right.name));
  }

  #nextOf(arn: string): string | undefined {
    const next = this.#driver.nextOf(arn);
    return next === undefined ? undefined : formatInstant(next);
  }

  /** Fires as the dice want it: not at all, late, or more than once. */
  #fireFaulty(firing: Firing, dice: FaultDice): void {
    const { clock } = this.#options;
    const scheduledTime = formatInstant(firing.scheduledTime);
    const { delays, struck } = planDelivery(dice, `${firing.schedule.name} ${scheduledTime}`);
    const when = delays.map((delay) => `${delay} ms`).join(' and ');
    for (const kind of struck) {
      const how = kind === 'drop' ? 'is lost' : `comes after ${when}`;
      const text = `fault ${kind}: the firing of ${firing.schedule.name} for ${scheduledTime} ${how}`;
      this.#emit({ type: 'note', level: 'warn', text });
    }
    for (const delay of delays) {
      if (delay === 0) this.#fire(firing);
      else clock.schedule(clock.now() + delay, () => this.#fire(firing));
    }
  }

  #fire({ schedule, scheduledTime, payload }: Firing): void {
    const { clock } = this.#options;
    const at = clock.now();
    this.#dynamoDb.setClockOffset(clock.offset);
    const count = (name: string) =>
      this.#alarms.add({
        namespace: 'AWS/Scheduler',
        name,
        dimensions: { ScheduleGroup: schedule.group },
        value: 1,
        at,
      });
    count('InvocationAttemptCount');
    const target = this.#fleet.byArn(schedule.targetArn);
    if (target === undefined) {
      count('TargetErrorCount');
      count('InvocationDroppedCount');
      const text = `schedule ${schedule.name} is due, and its target ${schedule.targetArn} is not run locally`;
      this.#emit({ type: 'note', level: 'warn', text });
      return;
    }
    this.#fleet.invoker.accept(target, payload);
    const { job } = target.resource;
    if (job === undefined) return;
    this.#emit({
      type: 'fired',
      job: job.name,
      scheduledTime: formatInstant(scheduledTime),
      at: formatInstant(at),
      next: this.#nextOf(target.resource.arn),
    });
  }

  #emit(event: LocalEvent): void {
    if (event.type === 'fired') this.#counts.fired++;
    if (event.type === 'run') this.#counts.runs++;
    if (event.type === 'missed') this.#counts.missed++;
    this.#options.emit(event);
  }
}
