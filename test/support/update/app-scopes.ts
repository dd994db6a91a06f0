import { IpAddresses, type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type App, Duration, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** How an app is divided into stacks: all in one; tables, jobs and watchdog apart; the same with the jobs spread over several. */
export const LAYOUTS = ['together', 'apart', 'spread'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** Where things go, and what a user has beside Belfry: made when it is asked for. */
export class AppScopes {
  readonly state: Stack;
  readonly jobs: Stack;
  readonly watch: Stack;
  /** What the user has that is not Belfry's. */
  readonly own: Stack;
  private readonly made = new Map<string, Construct>();

  constructor(app: App, layout: Layout) {
    const env = { account: '111111111111', region: 'eu-west-1' };
    const stack = (name: string) => new Stack(app, name, { env });
    this.jobs = stack('jobs');
    this.state = layout === 'together' ? this.jobs : stack('state');
    this.watch = layout === 'together' ? this.jobs : stack('watch');
    this.own = layout === 'together' ? this.jobs : stack('own');
  }

  get key(): Key {
    return this.owned('Key', (id) => new Key(this.own, id));
  }

  get vpc(): Vpc {
    return this.owned('Network', (id) => this.network(id, '10.0.0.0/16'));
  }

  get otherVpc(): Vpc {
    return this.owned('OtherNetwork', (id) => this.network(id, '10.1.0.0/16'));
  }

  get securityGroup(): SecurityGroup {
    return this.owned('Door', (id) => new SecurityGroup(this.own, id, { vpc: this.vpc as IVpc }));
  }

  get layer(): LayerVersion {
    return this.owned('Layer', (id) => new LayerVersion(this.own, id, { code: Code.fromAsset(import.meta.dirname) }));
  }

  get bus(): IEventBus {
    const { eventBusArn } = this.owned('Events', (id) => new EventBus(this.own, id));
    return EventBus.fromEventBusArn(this.watch, 'GivenEvents', eventBusArn);
  }

  /** A function that exists beside the jobs; its environment is given to it by the job. */
  function(name: string): LambdaFunction {
    return this.owned(
      `Existing-${name}`,
      (id) =>
        new LambdaFunction(this.own, id, {
          functionName: name,
          runtime: Runtime.NODEJS_24_X,
          handler: 'index.handler',
          timeout: Duration.minutes(1),
          code: Code.fromInline('exports.handler = async () => 0'),
        }),
    );
  }

  private network(id: string, cidr: string): Vpc {
    return new Vpc(this.own, id, {
      ipAddresses: IpAddresses.cidr(cidr),
      availabilityZones: ['eu-west-1a'],
      natGateways: 0,
      subnetConfiguration: [{ name: 'Inner', subnetType: SubnetType.PRIVATE_ISOLATED }],
      restrictDefaultSecurityGroup: false,
    });
  }

  private owned<Made extends Construct>(id: string, make: (id: string) => Made): Made {
    const made = (this.made.get(id) as Made | undefined) ?? make(id);
    this.made.set(id, made);
    return made;
  }
}
