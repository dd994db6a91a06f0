import { parseEnvironments } from './environment.ts';

/**
 * Where the app is deployed. `account` and `region` may be left out: then the stacks go wherever the deploying
 * credentials point (`cdk deploy 'dev/*' --profile …`).
 */
export const environments = parseEnvironments({
  // Cheap, and gone without a trace when it is destroyed.
  dev: {
    protected: false,
    logRetentionDays: 7,
  },
  // Production's shape, to try a change on.
  staging: {
    protected: false,
    logRetentionDays: 14,
    jobs: {
      // Nobody's real customers, but real addresses in the copied data: declared, not fired.
      'invoice-dunning': { enabled: false },
    },
  },
  prod: {
    protected: true,
    logRetentionDays: 90,
    jobs: {
      'invoice-dunning': { failedAlarm: true },
    },
  },
});
