/**
 * Left out of bundles: the ways to credentials that are not in the environment (profiles, SSO, web identity). Lambda always
 * puts credentials into the environment, and its runtime carries these packages besides; they would be a quarter of a
 * job's code.
 */
export const EXTERNAL_ON_LAMBDA: readonly string[] = [
  '@aws-sdk/nested-clients/*',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
];
