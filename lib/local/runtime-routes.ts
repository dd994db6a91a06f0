import { formatInstant } from '../domain/time/instant.ts';
import type { LocalResources } from './assembly/resources.ts';
import type { VirtualClock } from './clock/virtual-clock.ts';
import { clockRoute } from './endpoints/clock-route.ts';
import type { EndpointRoute } from './endpoints/endpoint-server.ts';
import { eventsRoute } from './endpoints/events-route.ts';
import { lambdaRoute } from './endpoints/lambda-route.ts';
import { schedulerRoute } from './endpoints/scheduler-route.ts';
import { snsRoute } from './endpoints/sns-route.ts';
import { sqsRoute } from './endpoints/sqs-route.ts';
import type { FunctionFleet } from './function-fleet.ts';
import type { LocalEvent } from './local-event.ts';
import type { LocalQueues } from './queues/local-queues.ts';
import type { ScheduleDriver } from './schedules/schedule-driver.ts';

export interface RuntimeRoutesOptions {
  readonly clock: VirtualClock;
  readonly fleet: FunctionFleet;
  readonly queues: LocalQueues;
  readonly driver: ScheduleDriver;
  readonly groups: Set<string>;
  /** As the app declares them now. */
  readonly resources: () => LocalResources;
  readonly onSchedulesChanged: () => void;
  readonly emit: (event: LocalEvent) => void;
}

/** What the endpoint of a local runtime answers. */
export function runtimeRoutes(options: RuntimeRoutesOptions): readonly EndpointRoute[] {
  const { clock, fleet, queues, driver, groups, resources, onSchedulesChanged, emit } = options;
  return [
    lambdaRoute(fleet.functions, fleet.invoker),
    sqsRoute(queues),
    snsRoute(
      (arn) => resources().topics.has(arn),
      ({ topicArn, subject, message }) => {
        const text = `published to ${resources().topics.get(topicArn)}: ${subject ?? message}`;
        emit({ type: 'note', level: 'warn', text });
      },
    ),
    eventsRoute(
      (name) => resources().buses.has(name),
      ({ detail, ...event }) =>
        emit({ type: 'event', ...event, detail: JSON.parse(detail) as unknown, at: formatInstant(clock.now()) }),
    ),
    schedulerRoute({ driver, groups, onChange: onSchedulesChanged }),
    clockRoute(() => clock.now()),
  ];
}
