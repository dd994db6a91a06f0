import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DeadLetterQueue } from '../../lib/adapters/dead-letter-queue/dead-letter-queue.ts';
import { DeployedSchedules } from '../../lib/adapters/eventbridge-scheduler/deployed-schedules.ts';
import { DeployedFunctions } from '../../lib/adapters/lambda-invoker/deployed-functions.ts';
import type { EvidenceSource } from '../../lib/domain/watch/ports.ts';

/** What AWS tells of schedules, functions and undelivered events. One try each: the next miss looks again. */
export function awsEvidence(scheduleGroup: string, deadLetterUrl: string | undefined): EvidenceSource {
  const schedules = new DeployedSchedules(new SchedulerClient({ maxAttempts: 1 }), scheduleGroup);
  const functions = new DeployedFunctions(new LambdaClient({ maxAttempts: 1 }));
  const queue =
    deadLetterUrl === undefined
      ? undefined
      : new DeadLetterQueue(new SQSClient({ maxAttempts: 1, useQueueUrlAsEndpoint: false }), deadLetterUrl);
  return {
    schedule: (name, signal) => schedules.look(name, signal),
    function: (name, signal) => functions.look(name, signal),
    undelivered: async (signal) => (await queue?.look(signal)) ?? [],
  };
}
