import { paginateListSchedules, type SchedulerClient } from '@aws-sdk/client-scheduler';

/** What schedules invoke, whatever group they are in. */
export class ScheduleTargets {
  readonly #client: SchedulerClient;

  constructor(client: SchedulerClient) {
    this.#client = client;
  }

  /** ARNs of what the schedules of this name invoke; one in each group at most. */
  async targetsOf(name: string): Promise<readonly string[]> {
    const targets: string[] = [];
    for await (const { Schedules = [] } of paginateListSchedules({ client: this.#client }, { NamePrefix: name })) {
      for (const { Name, Target } of Schedules)
        if (Name === name && Target?.Arn !== undefined) targets.push(Target.Arn);
    }
    return targets;
  }
}
