import { DynamoDbEndpoint } from '../../lib/local/dynamodb/dynamodb-endpoint.ts';
import type { Answer, Body } from '../../lib/local/dynamodb/front-types.ts';

export type Engine = (operation: string, body: Body) => Promise<Answer>;

/** The DynamoDB of the local runtime, in memory. */
export function startOurs(): Promise<DynamoDbEndpoint> {
  return DynamoDbEndpoint.start({ now: () => Date.now() });
}

/** An engine that is asked on the wire. */
export function endpointEngine(endpoint: string, region: string): Engine {
  return async (operation, body) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        'x-amz-date': '20260101T000000Z',
        authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0`,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
}
