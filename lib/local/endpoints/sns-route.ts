import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { EndpointRoute } from './endpoint-server.ts';

const NAMESPACE = 'http://sns.amazonaws.com/doc/2010-03-31/';

export interface Published {
  readonly topicArn: string;
  readonly subject: string | undefined;
  readonly message: string;
}

/** SNS's Publish. Nobody is subscribed here: what is published is shown. */
export function snsRoute(
  isTopic: (arn: string) => boolean,
  onPublished: (published: Published) => void,
): EndpointRoute {
  return async ({ method, path, headers, body }, response) => {
    const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
    const form = new URLSearchParams(isForm && method === 'POST' && path.length === 0 ? body : '');
    if (form.get('Action') !== 'Publish') return undefined;
    const topicArn = form.get('TopicArn') ?? form.get('TargetArn') ?? '';
    if (!isTopic(topicArn)) {
      sendXml(response, 404, errorXml('NotFound', `Topic does not exist: ${topicArn}`));
      return true;
    }
    onPublished({ topicArn, subject: form.get('Subject') ?? undefined, message: form.get('Message') ?? '' });
    const result = `<PublishResult><MessageId>${randomUUID()}</MessageId></PublishResult>`;
    sendXml(response, 200, `<PublishResponse xmlns="${NAMESPACE}">${result}${metadata()}</PublishResponse>`);
    return true;
  };
}

function errorXml(code: string, message: string): string {
  const escaped = message.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${escaped}</Message></Error>`;
  return `<ErrorResponse xmlns="${NAMESPACE}">${error}<RequestId>${randomUUID()}</RequestId></ErrorResponse>`;
}

function metadata(): string {
  return `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`;
}

function sendXml(response: ServerResponse, status: number, xml: string): void {
  response.writeHead(status, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(xml) });
  response.end(xml);
}
