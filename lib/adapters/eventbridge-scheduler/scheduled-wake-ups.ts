import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { wakeUpName } from '../../domain/contract/names.ts';
import type { WakeUp, WakeUps } from '../../domain/ports.ts';
import { formatInstant } from '../../domain/time/instant.ts';

/** By then the watchdog has delivered what the wake-up was for. A function that is gone is not asked for a whole day. */
const LONGEST_DELIVERY_SECONDS = 3_600;
const MOST_DELIVERY_RETRIES = 10;

export interface WakeUpSettings {
  /** Name of the schedule group that the one-time schedules are made in. */
  readonly group: string;
  /** ARN of the role with which EventBridge Scheduler invokes the function. */
  readonly role: string;
}

/** One-time EventBridge schedules. A wake-up's name follows from what it is for: making it again is a conflict, and fine. */
export class ScheduledWakeUps implements WakeUps {
  readonly #newClient: () => SchedulerClient;
  readonly #settings: WakeUpSettings;
  #client: SchedulerClient | undefined;

  /** @param newClient Called at the first wake-up: most runs need none. */
  constructor(newClient: () => SchedulerClient, settings: WakeUpSettings) {
    this.#newClient = newClient;
    this.#settings = settings;
  }

  async arm({ job, scheduledTime, at, purpose, trigger, revision, target }: WakeUp): Promise<void> {
    this.#client ??= this.#newClient();
    const instant = Math.ceil(at / 1000) * 1000;
    const event = {
      job,
      scheduledTime: formatInstant(scheduledTime),
      trigger,
      ...(revision === undefined ? {} : { revision }),
    };
    try {
      await this.#client.send(
        new CreateScheduleCommand({
          Name: wakeUpName(job, scheduledTime, purpose),
          GroupName: this.#settings.group,
          ScheduleExpression: `at(${formatInstant(instant).slice(0, 19)})`,
          ScheduleExpressionTimezone: 'UTC',
          FlexibleTimeWindow: { Mode: 'OFF' },
          ActionAfterCompletion: 'DELETE',
          Target: {
            Arn: target,
            RoleArn: this.#settings.role,
            Input: JSON.stringify(event),
            RetryPolicy: {
              MaximumEventAgeInSeconds: LONGEST_DELIVERY_SECONDS,
              MaximumRetryAttempts: MOST_DELIVERY_RETRIES,
            },
          },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
    }
  }
}
