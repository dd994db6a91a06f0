import { defineJob } from '../lambdas/runtime/index.ts';

/** The job of .ci/together-app.ts: it says where it ran. */
export const handler = defineJob(async (run) => ({ ran: run.jobName, in: process.env.BELFRY_ENVIRONMENT }));
