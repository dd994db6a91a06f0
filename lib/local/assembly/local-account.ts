/** What `AWS::AccountId` and `AWS::Region` are locally. */
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';
