import { GetScheduleCommand, ResourceNotFoundException, type SchedulerClient } from '@aws-sdk/client-scheduler';
import type { FoundSchedule } from '../../domain/watch/plan-cause.ts';

/** The schedules of a group as they are now. */
export class DeployedSchedules {
  readonly #client: SchedulerClient;
  readonly #group: string;

  constructor(client: SchedulerClient, group: string) {
    this.#client = client;
    this.#group = group;
  }

  async look(name: string, abortSignal?: AbortSignal): Promise<FoundSchedule> {
    try {
      const command = new GetScheduleCommand({ GroupName: this.#group, Name: name });
      // With any options, even none in them, the SDK works its middlewares out anew for this request and the next.
      const found = await (abortSignal === undefined
        ? this.#client.send(command)
        : this.#client.send(command, { abortSignal }));
      return {
        name,
        found: {
          expression: found.ScheduleExpression ?? '',
          timeZone: found.ScheduleExpressionTimezone ?? 'UTC',
          isEnabled: found.State !== 'DISABLED',
          target: found.Target?.Arn ?? '',
          input: found.Target?.Input ?? '',
        },
      };
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return { name };
      throw error;
    }
  }
}
