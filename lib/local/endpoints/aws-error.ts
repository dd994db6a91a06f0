import type { ServerResponse } from 'node:http';

/** An error as an AWS service would send it. */
export class AwsError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** The error in the form of REST services (header, `Message`) and of JSON services (`__type`, `message`) at once. */
export function sendAwsError(response: ServerResponse, error: AwsError): void {
  const { status, code, message } = error;
  sendJson(
    response,
    status,
    { __type: code, Type: status < 500 ? 'User' : 'Server', message, Message: message },
    { 'x-amzn-errortype': code },
  );
}
