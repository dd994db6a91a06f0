import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { BelfryError } from '../../domain/errors.ts';
import type { OccurrenceEvent } from '../../domain/occurrence-event.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import type { JobInvoker } from '../../domain/watch/ports.ts';

/** Delivers by an asynchronous invoke: Lambda keeps the event and retries it, as it does for EventBridge Scheduler. */
export class LambdaInvoker implements JobInvoker {
  readonly #client: LambdaClient;
  readonly #functionNames: Readonly<Record<string, string>>;

  constructor(client: LambdaClient, functionNames: Readonly<Record<string, string>>) {
    this.#client = client;
    this.#functionNames = functionNames;
  }

  /** @throws BelfryError `UnknownJob` when no function is known for the job; the SDK's own errors as they are. */
  async deliver(event: OccurrenceEvent): Promise<void> {
    const functionName = Object.hasOwn(this.#functionNames, event.job) ? this.#functionNames[event.job] : undefined;
    if (functionName === undefined) {
      throw new BelfryError(
        'UnknownJob',
        `no function is known for job '${event.job}': the known ones are ${Object.keys(this.#functionNames).join(', ')}; deploy the stack that declares it`,
      );
    }
    await this.#client.send(
      new InvokeCommand({
        FunctionName: functionName,
        InvocationType: 'Event',
        Payload: Buffer.from(JSON.stringify({ ...event, scheduledTime: formatInstant(event.scheduledTime) })),
      }),
    );
  }
}
