import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AwsServices extends AsyncDisposable {
  readonly url: string;
  /** Events of asynchronous invokes, in order, with the function that each went to. */
  readonly invoked: { readonly functionName: string; readonly event: Record<string, unknown> }[];
  /** Invokes are answered with this status from here on. */
  invokeStatus: number;
}

export interface ListedSchedule {
  readonly name: string;
  readonly group: string;
  readonly targetArn: string;
}

/** EventBridge Scheduler's ListSchedules, a page for each schedule, and Lambda's Invoke; the rest is refused. */
export async function startAwsServices(schedules: readonly ListedSchedule[]): Promise<AwsServices> {
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
    if (request.method !== 'GET' || pathname !== '/schedules')
      return answer(400, { Message: `not expected: ${pathname}` });
    const found = schedules.filter(({ name }) => name.startsWith(searchParams.get('NamePrefix') ?? ''));
    const page = Number(searchParams.get('NextToken') ?? 0);
    answer(200, {
      Schedules: found.slice(page, page + 1).map(({ name, group, targetArn }) => ({
        Name: name,
        GroupName: group,
        Target: { Arn: targetArn },
      })),
      ...(page + 1 < found.length ? { NextToken: String(page + 1) } : {}),
    });
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
