import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { type EndpointRoute, EndpointServer } from '../../../lib/local/endpoints/endpoint-server.ts';
import { schedulerRoute } from '../../../lib/local/endpoints/scheduler-route.ts';
import { ScheduleDriver } from '../../../lib/local/schedules/schedule-driver.ts';
import { scheduleResource } from '../../../lib/local/schedules/schedule-resource.ts';

export interface Invocation {
  readonly function: string;
  readonly type: string | undefined;
  readonly payload: unknown;
}

/** An endpoint that holds schedules and fires none, and writes down what its functions are invoked with. */
export class Emulator {
  readonly invocations: Invocation[] = [];
  /** Makes invokes fail. */
  refuse = false;
  readonly #held = new ScheduleDriver({ clock: new VirtualClock(), fire: () => {} });
  #server: EndpointServer | undefined;

  static async start(): Promise<Emulator> {
    const emulator = new Emulator();
    emulator.#server = await EndpointServer.listen(
      [
        emulator.#health,
        emulator.#invoke,
        schedulerRoute({ driver: emulator.#held, groups: new Set(['jobs', 'billing', 'shop']), onChange: () => {} }),
      ],
      0,
    );
    return emulator;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  put(
    name: string,
    properties: { readonly [key: string]: unknown },
    target = `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    group = 'jobs',
  ): void {
    const Target = { Arn: target, RoleArn: 'arn:aws:iam::000000000000:role/r', Input: properties.Input };
    this.#held.set(scheduleResource(name, group, { ...properties, Target }));
  }

  remove(name: string): void {
    this.#held.delete('jobs', name);
  }

  get names(): string[] {
    return this.#held.list().map(({ name }) => name);
  }

  close(): void {
    this.#server?.close();
  }

  readonly #health: EndpointRoute = async ({ path }, response) => {
    if (path.join('/') !== '_localstack/health') return undefined;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"services":{},"version":"test"}');
    return true;
  };

  readonly #invoke: EndpointRoute = async ({ method, path, headers, body }, response) => {
    if (method !== 'POST' || path[1] !== 'functions' || path[3] !== 'invocations') return undefined;
    if (this.refuse) {
      response
        .writeHead(404, { 'x-amzn-errortype': 'ResourceNotFoundException' })
        .end('{"Message":"Function not found"}');
      return true;
    }
    const type = headers['x-amz-invocation-type'];
    this.invocations.push({ function: path[2] ?? '', type: String(type), payload: JSON.parse(body) });
    response.writeHead(202).end();
    return true;
  };
}
