import { AnyPrincipal, Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Annotations, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Severity } from '../domain/contract/severity.ts';

/** Who is told, by severity: e-mail addresses or https URLs. */
export type AlertSubscriptions = Partial<Readonly<Record<Severity, readonly string[]>>>;

export interface AlertTopicsProps {
  /**
   * E-mail addresses and https URLs to subscribe to the topics, by severity.
   *
   * @default - nobody: subscribe to the topics yourself
   */
  readonly subscriptions?: AlertSubscriptions;
  /**
   * Customer key that encrypts the topics. CloudWatch gets the right to use it. A key that AWS manages cannot be used:
   * CloudWatch would not be allowed to publish.
   *
   * @default - a new key, about 1 USD a month
   */
  readonly encryptionKey?: IKey;
  /**
   * Whether the topics are encrypted. If false, no key is made, and SNS keeps messages without encryption of yours.
   *
   * @default true
   */
  readonly encrypted?: boolean;
  /**
   * What happens to the new key when the stack is destroyed.
   *
   * @default RemovalPolicy.DESTROY
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** The topics of each scheduler's watchdog and alarms. The first construct that needs them creates them. */
const shared = new WeakMap<object, AlertTopics>();

/**
 * The topics for messages about a scheduler's jobs: the given ones, the ones that exist already, or new ones.
 *
 * @param scheduler whose jobs
 * @param scope where new topics go
 */
export function topicsOf(scheduler: Construct, scope: Construct, given: AlertTopics | undefined): AlertTopics {
  const topics = given ?? shared.get(scheduler) ?? new AlertTopics(scope, 'Topics');
  if (!shared.has(scheduler)) shared.set(scheduler, topics);
  return topics;
}

/** One topic for each severity. The watchdog and the alarms send to the same topics. */
export class AlertTopics extends Construct {
  readonly page: Topic;
  readonly ticket: Topic;
  readonly warn: Topic;
  private readonly key: IKey | undefined;

  constructor(scope: Construct, id: string, props: AlertTopicsProps = {}) {
    super(scope, id);
    const key = props.encrypted === false ? undefined : (props.encryptionKey ?? this.createKey(props.removalPolicy));
    this.key = key;
    if (key !== undefined) this.letAlarmsUse(key);
    this.page = this.create('Page', props.subscriptions?.page, key);
    this.ticket = this.create('Ticket', props.subscriptions?.ticket, key);
    this.warn = this.create('Warn', props.subscriptions?.warn, key);
    this.node.addValidation({ validate: () => this.noteWithoutSubscribers() });
  }

  /** Subscriptions that another app makes, or a person by hand, are not seen: so it is a note. */
  private noteWithoutSubscribers(): string[] {
    const hasOne = this.node.root.node.findAll().some((construct) => construct instanceof CfnSubscription);
    if (!hasOne) {
      Annotations.of(this).addInfoV2(
        'belfry:NobodyIsTold',
        'nobody subscribes to these topics in this app, so the messages of the watchdog and of the alarms reach nobody: name addresses in subscriptions, or subscribe to the topics page, ticket and warn',
      );
    }
    return [];
  }

  of(severity: Severity): Topic {
    return this[severity];
  }

  /** The rights that a role needs to publish to these topics; alarms have them already. */
  publishStatements(): PolicyStatement[] {
    const topics = [this.page, this.ticket, this.warn].map((topic) => topic.topicArn);
    const publish = new PolicyStatement({ sid: 'Notifications', actions: ['sns:Publish'], resources: topics });
    if (this.key === undefined) return [publish];
    const actions = ['kms:Decrypt', 'kms:GenerateDataKey'];
    return [publish, new PolicyStatement({ sid: 'KeyOfTopics', actions, resources: [this.key.keyArn] })];
  }

  private createKey(removalPolicy = RemovalPolicy.DESTROY): Key {
    return new Key(this, 'Key', {
      description: 'Encrypts what people are told',
      enableKeyRotation: true,
      removalPolicy,
    });
  }

  /** Without this right an alarm cannot publish to an encrypted topic, and nobody is told. */
  private letAlarmsUse(key: IKey): void {
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
  }

  private create(id: string, subscriptions: readonly string[] = [], masterKey: IKey | undefined): Topic {
    const topic = new Topic(this, id, masterKey === undefined ? {} : { masterKey });
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'TlsOnly',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
    // A topic with a policy of its own loses the default one, which lets the account's alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    for (const address of subscriptions) {
      topic.addSubscription(
        address.startsWith('https://') ? new UrlSubscription(address) : new EmailSubscription(address),
      );
    }
    return topic;
  }
}
