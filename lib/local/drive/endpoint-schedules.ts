import {
  GetScheduleCommand,
  type GetScheduleOutput,
  ListSchedulesCommand,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';
import type { ScheduleResource } from '../assembly/resources.ts';
import { scheduleResource } from '../schedules/schedule-resource.ts';

const CONCURRENCY = 8;

interface Name {
  readonly group: string;
  readonly name: string;
}

/** The schedules that an endpoint holds. */
export class EndpointSchedules {
  readonly #client: SchedulerClient;
  readonly #group: string | undefined;

  /** @param group only schedules of this group; all without one */
  constructor(client: SchedulerClient, group?: string) {
    this.#client = client;
    this.#group = group;
  }

  /**
   * All of them in full, in the list's order. Each is read every time: not every emulator moves the date of the last
   * modification when a stack changes a schedule.
   */
  async list(): Promise<ScheduleResource[]> {
    const names = await this.#names();
    const schedules: (ScheduleResource | undefined)[] = names.map(() => undefined);
    let position = 0;
    const reader = async () => {
      while (position < names.length) {
        const index = position++;
        const { group, name } = names[index] as Name;
        schedules[index] = await this.#read(group, name);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, reader));
    return schedules.filter((schedule) => schedule !== undefined);
  }

  async #names(): Promise<Name[]> {
    const names: Name[] = [];
    let token: string | undefined;
    do {
      const page = await this.#client.send(
        new ListSchedulesCommand({
          ...(this.#group === undefined ? {} : { GroupName: this.#group }),
          ...(token === undefined ? {} : { NextToken: token }),
        }),
      );
      for (const { Name: name, GroupName: group = 'default' } of page.Schedules ?? []) {
        if (name !== undefined) names.push({ group, name });
      }
      token = page.NextToken === '' ? undefined : page.NextToken;
    } while (token !== undefined);
    return names;
  }

  async #read(group: string, name: string): Promise<ScheduleResource | undefined> {
    try {
      return resourceOf(group, name, await this.#client.send(new GetScheduleCommand({ GroupName: group, Name: name })));
    } catch (error) {
      // Removed between the list and this request.
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }
}

function resourceOf(group: string, name: string, answer: GetScheduleOutput): ScheduleResource {
  const resource = scheduleResource(name, group, {
    ScheduleExpression: answer.ScheduleExpression,
    ScheduleExpressionTimezone: answer.ScheduleExpressionTimezone,
    State: answer.State,
    StartDate: answer.StartDate?.toISOString(),
    EndDate: answer.EndDate?.toISOString(),
    Target: { Arn: answer.Target?.Arn, RoleArn: answer.Target?.RoleArn, Input: answer.Target?.Input },
    ActionAfterCompletion: answer.ActionAfterCompletion,
  });
  return answer.Arn === undefined ? resource : { ...resource, arn: answer.Arn };
}
