import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ServedStack {
  readonly name: string;
  readonly template: string;
  readonly status?: string;
  /** Logical id to name of the stack that is nested there. */
  readonly nested?: Readonly<Record<string, string>>;
  /** Name of the stack that it is nested in. */
  readonly parent?: string;
  /** Names of exports to names of the stacks that import them. */
  readonly imports?: Readonly<Record<string, readonly string[]>>;
}

export interface CloudFormationServer {
  readonly url: string;
  readonly asked: string[];
}

const PAGE = 2;
const arn = (name: string) => `arn:aws:cloudformation:eu-west-1:123456789012:stack/${name}/0a1b`;

/**
 * CloudFormation's reading side on loopback, in its words: the query protocol, pages of two stacks, its refusals.
 * @param refuses the action that the caller may not do
 */
export async function serveCloudFormation(
  stacks: readonly ServedStack[],
  { refuses = '' }: { readonly refuses?: string } = {},
): Promise<CloudFormationServer> {
  const asked: string[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const form = new URLSearchParams(body);
    const action = form.get('Action') ?? '';
    asked.push(`${action} ${form.get('StackName') ?? form.get('ExportName') ?? ''}`.trim());
    const [status, text] = answer(action, form, stacks, refuses);
    response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function answer(
  action: string,
  form: URLSearchParams,
  stacks: readonly ServedStack[],
  refuses: string,
): [status: number, text: string] {
  if (action === refuses) {
    const who = 'User: arn:aws:iam::123456789012:user/reader';
    return error(403, 'AccessDenied', `${who} is not authorized to perform: cloudformation:${action}`);
  }
  const asked = form.get('StackName') ?? '';
  const stack = stacks.find(({ name }) => name === asked || arn(name) === asked);
  switch (action) {
    case 'ListStacks': {
      const start = Number(form.get('NextToken') ?? 0);
      const members = stacks
        .slice(start, start + PAGE)
        .map(
          ({ name, status = 'UPDATE_COMPLETE', parent }) =>
            `<member><StackName>${name}</StackName><StackId>${arn(name)}</StackId><StackStatus>${status}</StackStatus><CreationTime>2026-11-01T00:00:00Z</CreationTime>${parent === undefined ? '' : `<ParentId>${arn(parent)}</ParentId>`}</member>`,
        );
      const next = start + PAGE < stacks.length ? `<NextToken>${start + PAGE}</NextToken>` : '';
      return result(action, `<StackSummaries>${members.join('')}</StackSummaries>${next}`);
    }
    case 'GetTemplate':
      if (stack === undefined) return error(400, 'ValidationError', `Stack with id ${asked} does not exist`);
      return result(action, `<TemplateBody>${escaped(stack.template)}</TemplateBody>`);
    case 'DescribeStackResource': {
      const nested = stack?.nested?.[form.get('LogicalResourceId') ?? ''] ?? '';
      return result(
        action,
        `<StackResourceDetail><PhysicalResourceId>${arn(nested)}</PhysicalResourceId></StackResourceDetail>`,
      );
    }
    case 'ListImports': {
      const name = form.get('ExportName') ?? '';
      const importers = stacks.flatMap(({ imports = {} }) => imports[name] ?? []);
      if (importers.length === 0)
        return error(400, 'ValidationError', `Export '${name}' is not imported by any stack.`);
      return result(action, `<Imports>${importers.map((one) => `<member>${one}</member>`).join('')}</Imports>`);
    }
    default:
      return error(400, 'InvalidAction', `Could not find operation ${action}`);
  }
}

function result(action: string, text: string): [number, string] {
  return [200, `<${action}Response><${action}Result>${text}</${action}Result></${action}Response>`];
}

function error(status: number, code: string, message: string): [number, string] {
  const text = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`;
  return [status, `<ErrorResponse>${text}<RequestId>0a1b</RequestId></ErrorResponse>`];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
