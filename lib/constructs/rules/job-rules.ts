import { BelfryError } from '../../domain/errors.ts';
import { FUNCTION_RULES } from './function-rules.ts';
import type { JobRule, JobUnderRules } from './job-rule.ts';
import { POLICY_RULES } from './policy-rules.ts';
import { RETRY_RULES } from './retry-rules.ts';
import { SCHEDULE_RULES } from './schedule-rules.ts';
import { TIMEOUT_RULES } from './timeout-rules.ts';

export const JOB_RULES: readonly JobRule[] = [
  ...POLICY_RULES,
  ...SCHEDULE_RULES,
  ...TIMEOUT_RULES,
  ...RETRY_RULES,
  ...FUNCTION_RULES,
];

/**
 * Applies the rules of severity `error`, in order.
 * @throws BelfryError named by the first rule that is broken
 */
export function assertJobRules(job: JobUnderRules): void {
  for (const rule of JOB_RULES) {
    if (rule.severity !== 'error') continue;
    const fault = rule.check(job);
    if (fault !== undefined) throw new BelfryError(rule.code, `job '${job.name}': ${fault}`);
  }
}

/** What the other rules have to say. */
export function adviseJob(job: JobUnderRules): { readonly rule: JobRule; readonly message: string }[] {
  return JOB_RULES.filter((rule) => rule.severity !== 'error').flatMap((rule) => {
    const message = rule.check(job);
    return message === undefined ? [] : [{ rule, message: `job '${job.name}': ${message}` }];
  });
}
