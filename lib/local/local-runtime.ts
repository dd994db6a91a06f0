import { formatInstant } from '../domain/time/instant.ts';
import { AlarmEvaluator } from './alarms/alarm-evaluator.ts';
import type { LocalResources, ScheduleResource } from './assembly/resources.ts';
import type { VirtualClock } from './clock/virtual-clock.ts';
import { otherTime, rememberClock } from './data-clock.ts';
import { DynamoDbEndpoint } from './dynamodb/dynamodb-endpoint.ts';
import { EndpointServer } from './endpoints/endpoint-server.ts';
import { FaultDice } from './faults/fault-dice.ts';
import type { FaultSettings } from './faults/fault-settings.ts';
import { ProcessFaults } from './faults/process-faults.ts';
import { everyMsOf, FiringDelivery, isOfJob } from './firing-delivery.ts';
import { FunctionFleet } from './function-fleet.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { loadApp } from './load-app.ts';
import type { JobLine, LocalEvent } from './local-event.ts';
import { LocalQueues } from './queues/local-queues.ts';
import { planReload } from './reload/plan-reload.ts';
import type { RuntimeInside } from './runtime-inside.ts';
import { runtimeRoutes } from './runtime-routes.ts';
import { RuntimeSchedules } from './schedules/runtime-schedules.ts';
import { ScheduleDriver } from './schedules/schedule-driver.ts';
import { StateFolder } from './state-folder.ts';
import { TableStreams } from './streams/table-streams.ts';

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
  readonly #queues: LocalQueues;
  readonly #streams: TableStreams;
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
        DynamoDbEndpoint.start({
          path: folder.file('dynamodb'),
          now: () => options.clock.now(),
          onTrouble: (level, text) => emit({ type: 'note', level, text }),
        }),
      ]);
      if (started.status === 'fulfilled') dynamoDb = started.value;
      if (loaded.status === 'rejected') throw loaded.reason;
      if (started.status === 'rejected') throw started.reason;
      const resources = loaded.value;
      const notes = [...otherTime(folder, options.clock.now()), ...resources.notes];
      for (const text of notes) emit({ type: 'note', level: 'warn', text });
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
    this.#folder = folder;
    this.#dynamoDb = dynamoDb;
    this.#resources = resources;
    const emit = (event: LocalEvent) => this.#emit(event);
    const report = (text: string) => emit({ type: 'note', level: 'warn', text });
    if (faults !== undefined) dynamoDb.setFaults(faults, report);
    const queues = new LocalQueues(folder, () => clock.now(), resources.queues, emit);
    this.#queues = queues;
    this.#alarms = new AlarmEvaluator({
      clock,
      alarms: resources.alarms,
      onChange: ({ alarm, from, state, reason, at }) => {
        // That a new alarm finds all in order is no news, unless its template wants it told.
        if (from === 'INSUFFICIENT_DATA' && state === 'OK' && alarm.actions.OK.length === 0) return;
        emit({ type: 'alarm', name: alarm.name, state, severity: alarm.severity, reason, at: formatInstant(at) });
      },
      sample: (add) => {
        for (const datum of queues.metrics(clock.now() - 1)) add(datum);
      },
    });
    this.#fleet = new FunctionFleet({
      projectFolder: options.projectFolder,
      clock,
      resources: resources.functions,
      logFile: (name) => folder.file('logs', `${name}.log`),
      compileCache: folder.compileCache,
      queues,
      addMetric: (datum) => this.#alarms.add(datum),
      emit,
      endpoints: () => ({ dynamoDb: dynamoDb.url, other: this.#endpoint?.url ?? '' }),
      ...(dice === undefined ? {} : { faults: new ProcessFaults(dice, report) }),
    });
    this.#streams = new TableStreams({ clock, fleet: this.#fleet, queues, emit }, resources.streams);
    this.#watchTables();
    const delivery = new FiringDelivery({
      clock,
      fleet: this.#fleet,
      queues,
      dice,
      addMetric: (datum) => this.#alarms.add(datum),
      emit,
      nextOf: (job) => this.#nextText(job),
    });
    this.#driver = new ScheduleDriver({
      clock,
      fire: (firing) => delivery.fire(firing),
      ...(suppress === undefined ? {} : { suppress }),
      onCompleted: () => this.#runtimeSchedules.save(),
    });
    this.#runtimeSchedules = new RuntimeSchedules(folder, this.#driver, resources.schedules, emit);
    for (const group of resources.scheduleGroups) this.#groups.add(group);
  }

  /** Lets the time run. Everything can fire from here on. */
  run(): void {
    const { clock } = this.#options;
    const from = clock.now();
    this.#driver.start(from);
    // Where other commands find what runs here.
    const first = this.#resources.functions.find(({ variables }) => variables.BELFRY_TABLE !== undefined)?.variables;
    const { BELFRY_TABLE: runTable, BELFRY_SCHEDULER: scheduler } = first ?? {};
    const endpoint = this.#endpoint?.url;
    this.#folder.writeJson('runtime.json', {
      pid: process.pid,
      dynamoDb: this.#dynamoDb.url,
      endpoint,
      runTable,
      scheduler,
    });
    rememberClock(this.#folder, from);
    this.#emit({ type: 'ready', at: formatInstant(from), jobs: this.#jobs(), endpoint: endpoint ?? '' });
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
    const { isNeeded, changedFunctions, summary } = planReload(this.#resources, resources);
    if (!isNeeded) return;
    await this.#dynamoDb.createTables(resources.tables);
    await this.#fleet.update(resources.functions, changedFunctions);
    this.#runtimeSchedules.declare(resources.schedules);
    for (const group of resources.scheduleGroups) this.#groups.add(group);
    this.#queues.setQueues(resources.queues);
    this.#alarms.setAlarms(resources.alarms);
    this.#streams.setStreams(resources.streams);
    this.#watchTables();
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
    const alarms = this.#alarms;
    return {
      environment,
      clock,
      dynamoDbUrl: this.#dynamoDb.url,
      get functions() {
        return [...fleet.functions.values()].map(({ resource }) => resource);
      },
      get alarms() {
        return alarms.states;
      },
      nextFiring: (job) => this.#nextOf(job),
      deliver: (job, event) => {
        const lambda = this.#functionOf(job);
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
    const cutOff = await this.#fleet.drain(drainMs, () => this.#streams.drain());
    if (cutOff > 0) {
      const text = `${cutOff} ${cutOff === 1 ? 'job was' : 'jobs were'} still running after ${drainMs / 1000} s and ended by force; the watchdog finds them on the next start`;
      this.#emit({ type: 'note', level: 'warn', text });
    }
    const at = clock.now();
    clock.stop();
    release();
    this.#endpoint?.close();
    await this.#dynamoDb.close();
    this.#runtimeSchedules.close();
    this.#queues.close();
    rememberClock(this.#folder, at);
    this.#folder.close();
    this.#emit({ type: 'stopped', ...this.#counts, at: formatInstant(at) });
  }

  /** Ends everything at once: running jobs are killed where they are. */
  async kill(): Promise<void> {
    await this.#fleet.close();
  }

  async #listen(): Promise<void> {
    const routes = runtimeRoutes({
      clock: this.#options.clock,
      fleet: this.#fleet,
      queues: this.#queues,
      driver: this.#driver,
      groups: this.#groups,
      resources: () => this.#resources,
      onSchedulesChanged: () => this.#runtimeSchedules.save(),
      emit: (event) => this.#emit(event),
    });
    this.#endpoint = await EndpointServer.listen(routes, this.#options.port);
  }

  #watchTables(): void {
    this.#dynamoDb.watch(this.#streams.tables, (change) => this.#streams.changed(change));
  }

  #jobs(): JobLine[] {
    const jobs = [...this.#fleet.functions.values()].flatMap(({ resource }) => resource.jobs);
    return jobs
      .map(({ name, schedule, timeZone }) => ({ name, schedule, timeZone, next: this.#nextText(name) }))
      .sort((left, right) => left.name.localeCompare(right.name));
  }

  #functionOf(job: string): LambdaFunction | undefined {
    return [...this.#fleet.functions.values()].find(({ resource }) => resource.jobs.some(({ name }) => name === job));
  }

  #nextOf(job: string): number | undefined {
    const arn = this.#functionOf(job)?.resource.arn;
    return this.#driver.nextOf((schedule) => schedule.targetArn === arn && isOfJob(schedule, job), everyMsOf);
  }

  #nextText(job: string): string | undefined {
    const next = this.#nextOf(job);
    return next === undefined ? undefined : formatInstant(next);
  }

  #emit(event: LocalEvent): void {
    if (event.type === 'fired') this.#counts.fired++;
    if (event.type === 'run') this.#counts.runs++;
    if (event.type === 'missed') this.#counts.missed++;
    this.#options.emit(event);
  }
}
