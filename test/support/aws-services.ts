import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AwsServices extends AsyncDisposable {
  readonly url: string;
  /** Events of asynchronous invokes, in order, with the function that each went to. */
  readonly invoked: { readonly functionName: string; readonly event: Record<string, unknown> }[];
  /** Invokes are answered with this status from here on. */
  invokeStatus: number;
}

export interface HeldSchedule {
  readonly name: string;
  readonly group: string;
  readonly targetArn: string;
}

export interface HeldFunction {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** EventBridge Scheduler's GetSchedule; Lambda's Invoke, ListFunctions (a page for each function) and configuration. */
export async function startAwsServices(
  schedules: readonly HeldSchedule[],
  functions: readonly HeldFunction[] = [],
): Promise<AwsServices> {
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const answer = (status: number, value: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    const functionName = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname)?.[1];
    if (functionName !== undefined) {
      if (services.invokeStatus !== 202) return answer(services.invokeStatus, { Message: 'no' });
      services.invoked.push({ functionName: decodeURIComponent(functionName), event: JSON.parse(body) });
      return answer(202, {});
    }
    const configuration = ({ name, variables }: HeldFunction) => ({
      FunctionName: name,
      Environment: { Variables: variables },
    });
    if (/^\/2015-03-31\/functions\/?$/.test(pathname)) {
      const page = Number(searchParams.get('Marker') ?? 0);
      return answer(200, {
        Functions: functions.slice(page, page + 1).map(configuration),
        ...(page + 1 < functions.length ? { NextMarker: String(page + 1) } : {}),
      });
    }
    const notFound = (what: string) => {
      response.setHeader('x-amzn-errortype', 'ResourceNotFoundException');
      answer(404, { Message: `there is no ${what}` });
    };
    const configured = /^\/2015-03-31\/functions\/([^/]+)\/configuration$/.exec(pathname)?.[1];
    if (configured !== undefined) {
      const found = functions.find(({ name }) => name === configured);
      return found === undefined ? notFound(configured) : answer(200, configuration(found));
    }
    const asked = /^\/schedules\/([^/]+)$/.exec(pathname)?.[1];
    if (request.method !== 'GET' || asked === undefined) return answer(400, { Message: `not expected: ${pathname}` });
    const held = schedules.find(({ name, group }) => name === asked && group === searchParams.get('groupName'));
    if (held === undefined) return notFound(asked);
    answer(200, { Name: held.name, GroupName: held.group, Target: { Arn: held.targetArn } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const services: AwsServices = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    invoked: [],
    invokeStatus: 202,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return services;
}
