import { Fn, Stack, Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * An ARN in this account as one text. `formatArn` takes up to twenty lines of the template for each, and a template holds
 * a megabyte: what every job has must be short.
 *
 * @param resource all that follows the account, known at synth
 * @param region by default the stack's
 */
export function shortArn(scope: Construct, service: string, resource: string, region = regionOf(scope)): string {
  const { account } = Stack.of(scope);
  const place = Token.isUnresolved(account) ? '\u0024{AWS::AccountId}' : account;
  return substituted(`arn:\u0024{AWS::Partition}:${service}:${region}:${place}:${resource}`);
}

/** A text for the template, with `Fn::Sub` where CloudFormation has something to put in. */
export function substituted(text: string): string {
  return text.includes('\u0024{') ? Fn.sub(text) : text;
}

/** The region as `Fn::Sub` takes it. */
export function regionOf(scope: Construct): string {
  const { region } = Stack.of(scope);
  return Token.isUnresolved(region) ? '\u0024{AWS::Region}' : region;
}
