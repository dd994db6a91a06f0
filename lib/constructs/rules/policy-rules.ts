import { quote } from '../../domain/quote.ts';
import type { JobRule, JobUnderRules } from './job-rule.ts';

type Choice = readonly [property: string, value: unknown, allowed: readonly string[]];

/** For those who declare jobs in JavaScript: TypeScript refuses these while one types. */
export const POLICY_RULES: readonly JobRule[] = [
  {
    code: 'UnknownPolicy',
    severity: 'error',
    check: (job) => {
      const wrong = choicesOf(job).find(([, value, allowed]) => !allowed.includes(value as string));
      if (wrong === undefined) return undefined;
      const [property, value, allowed] = wrong;
      return `${property} is ${quote(String(value))}, allowed are ${allowed.join(', ')}`;
    },
  },
];

function choicesOf({ definition, options }: JobUnderRules): readonly Choice[] {
  return [
    ['overlap', definition.overlap, ['skip', 'bufferOne', 'cancelOther', 'allow']],
    ['retry.backoff', definition.retry.backoff, ['fixed', 'linear', 'exponential']],
    ['catchUp.policy', definition.catchUp?.policy ?? 'none', ['none', 'latest', 'all']],
    ['lease', definition.lease ?? 'invocation', ['invocation', 'heartbeat']],
    ['onTimeout', definition.onTimeout ?? 'retry', ['retry', 'fail', 'hold']],
    ['continuation', definition.continuation ?? 'manual', ['manual', 'auto']],
    ['metrics', options.metrics, ['scheduler', 'failures', 'detailed']],
  ];
}
