import { isDeepStrictEqual } from 'node:util';
import { BelfryError } from '../../domain/errors.ts';
import type { ScheduleProperties, ScheduleResource } from '../assembly/resources.ts';
import type { LocalEvent } from '../local-event.ts';
import type { StateFolder } from '../state-folder.ts';
import { SteadyWrite } from '../steady-write.ts';
import type { ScheduleDriver } from './schedule-driver.ts';
import { scheduleResource } from './schedule-resource.ts';

const FILE = 'schedules.json';

interface StoredSchedule {
  readonly name: string;
  readonly group: string;
  readonly properties: ScheduleProperties;
}

/** The schedules made through the API. They outlive the process, as on AWS; those of the template come from the template. */
export class RuntimeSchedules {
  readonly #driver: ScheduleDriver;
  readonly #file: SteadyWrite;
  #declared: ReadonlySet<string> = new Set();

  /** Gives the driver all schedules, declared ones first. */
  constructor(
    folder: StateFolder,
    driver: ScheduleDriver,
    declared: readonly ScheduleResource[],
    emit: (event: LocalEvent) => void,
  ) {
    this.#driver = driver;
    this.#file = new SteadyWrite('what was scheduled at run time', () => folder.writeJson(FILE, this.#made()), emit);
    this.declare(declared);
    for (const { name, group, properties } of (folder.readJson(FILE) ?? []) as readonly StoredSchedule[]) {
      driver.set(scheduleResource(name, group, properties));
    }
  }

  /** Takes over the schedules of the template: new and changed ones are set, those that are gone are deleted. */
  declare(declared: readonly ScheduleResource[]): void {
    const keys = new Set(declared.map(keyOf));
    for (const { group, name } of this.#driver.list()) {
      const key = keyOf({ group, name });
      if (this.#declared.has(key) && !keys.has(key)) this.#driver.delete(group, name);
    }
    this.#declared = keys;
    for (const schedule of declared) {
      if (isDeepStrictEqual(this.#driver.get(schedule.group, schedule.name), schedule)) continue;
      try {
        this.#driver.set(schedule);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new BelfryError('MalformedTemplate', `schedule '${schedule.name}' cannot be fired: ${reason}`, {
          cause: error,
        });
      }
    }
  }

  save(): void {
    this.#file.save();
  }

  close(): void {
    this.#file.close();
  }

  #made(): StoredSchedule[] {
    const made = this.#driver.list().filter((schedule) => !this.#declared.has(keyOf(schedule)));
    return made.map(({ name, group, properties }) => ({ name, group, properties }));
  }
}

function keyOf(schedule: { readonly group: string; readonly name: string }): string {
  return `${schedule.group}/${schedule.name}`;
}
