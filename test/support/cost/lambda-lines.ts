/** What CloudWatch adds to each log event that it takes in. */
const EVENT_BYTES = 26;
const REQUEST_ID = '00000000-0000-4000-8000-000000000000';

/** The lines that Lambda itself writes around an invocation, in its text format. */
export function lambdaLines({ isCold }: { readonly isCold: boolean }): readonly string[] {
  const report = `REPORT RequestId: ${REQUEST_ID}\tDuration: 1234.56 ms\tBilled Duration: 1635 ms\tMemory Size: 256 MB\tMax Memory Used: 100 MB\t`;
  return [
    ...(isCold
      ? [
          `INIT_START Runtime Version: nodejs:24.v10\tRuntime Version ARN: arn:aws:lambda:us-east-1::runtime:${'0'.repeat(64)}\n`,
        ]
      : []),
    `START RequestId: ${REQUEST_ID} Version: $LATEST\n`,
    `END RequestId: ${REQUEST_ID}\n`,
    `${report}${isCold ? 'Init Duration: 400.12 ms\t' : ''}\n`,
  ];
}

/** Bytes of log lines as CloudWatch bills them. */
export function logBytes(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + EVENT_BYTES, 0);
}
