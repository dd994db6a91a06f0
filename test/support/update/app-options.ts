import { Repository } from 'aws-cdk-lib/aws-ecr';
import { Architecture, Code } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { AlertTopics } from '../../../lib/constructs/alert-topics.ts';
import type { JobOptions } from '../../../lib/constructs/job-options.ts';
import type { AppScopes } from './app-scopes.ts';
import type { AppFleet, AppSpec, Given } from './update-app.ts';

/** Another app than before. */
export type Change = (app: AppSpec) => AppSpec;

/** What a property can be changed to, by what that is called; a text: why no deployment differs by it. */
export type Variants = Readonly<Record<string, Change>> | string;

type Part = 'scheduler' | 'watchdog' | 'topics' | 'alarms' | 'jobAlarms' | 'lifecycle' | 'maintenance' | 'runTable';

/** Props of one part, over those it has; a part that is not there comes with them. */
export function give<Name extends Part>(part: Name, given: NonNullable<AppSpec[Name]>): Change {
  return (app) => {
    const before = app[part];
    return { ...app, [part]: (at: AppScopes) => ({ ...before?.(at), ...given(at) }) };
  };
}

export const inScheduler = (given: AppSpec['scheduler']): Change => give('scheduler', given);

/** Props of a job with a function of its own. */
export function inJob(given: Given<object>, name = 'invoices'): Change {
  return (app) => {
    const before = app.jobs[name];
    return { ...app, jobs: { ...app.jobs, [name]: (at) => ({ ...before?.(at), ...given(at) }) } };
  };
}

const tenantOf = ({ fleets }: AppSpec): AppFleet => fleets.tenant ?? { props: () => ({}), jobs: {} };

export function inFleet(given: Given<object>): Change {
  return (app) => {
    const tenant = tenantOf(app);
    return {
      ...app,
      fleets: { ...app.fleets, tenant: { ...tenant, props: (at) => ({ ...tenant.props(at), ...given(at) }) } },
    };
  };
}

export function inFleetJob(given: Given<object>): Change {
  return (app) => {
    const tenant = tenantOf(app);
    const { acme } = tenant.jobs;
    const jobs = { ...tenant.jobs, acme: (at: AppScopes) => ({ ...acme?.(at), ...given(at) }) };
    return { ...app, fleets: { ...app.fleets, tenant: { ...tenant, jobs } } };
  };
}

/** An option of a job, wherever it can be said. */
function everywhere(options: JobOptions): Readonly<Record<string, Change>> {
  const { memorySize: _, environment: __, sourceMaps: ___, ...ofFleetJob } = options;
  return {
    job: inJob(() => options),
    fleet: inFleet(() => options),
    'all jobs': inScheduler(() => ({ defaults: options })),
    ...(Object.keys(ofFleetJob).length === 0 ? {} : { 'job of a fleet': inFleetJob(() => ofFleetJob) }),
  };
}

const placed = (given: Given<object>) => ({ job: inJob(given), fleet: inFleet(given) });
const image = (at: AppScopes) => ({
  image: Code.fromEcrImage(Repository.fromRepositoryName(at.jobs, 'Images', 'jobs'), { tagOrDigest: 'v1' }),
});

const WINDOW = { begins: '0 2 * * 0', timeZone: 'UTC', lasts: Duration.hours(2) };

/** Every property that a user can set, by the interface that declares it. */
export const APP_OPTIONS: { readonly [owner: string]: { readonly [property: string]: Variants } } = {
  JobSchedulerProps: {
    environment: { renamed: inScheduler(() => ({ environment: 'live' })) },
    table: { own: (app) => ({ ...app, runTable: undefined }) },
    defaults: everywhereElse('JobOptions'),
    overrides: {
      schedule: inScheduler(() => ({ overrides: { invoices: { schedule: '0 7 * * *', timeZone: 'Asia/Tokyo' } } })),
    },
    prefix: { another: inScheduler(() => ({ prefix: 'another' })) },
    logRetention: { longer: inScheduler(() => ({ logRetention: RetentionDays.ONE_YEAR })) },
    removalPolicy: { retained: inScheduler(() => ({ removalPolicy: RemovalPolicy.RETAIN })) },
    stacks: { raised: inScheduler(() => ({ stacks: 5 })) },
    encryptionKey: { on: inScheduler((at) => ({ encryptionKey: at.key })) },
    wakeUps: { off: inScheduler(() => ({ wakeUps: false })) },
    roster: 'names what was declared, and is in no template',
    root: 'says where files are',
    now: 'a synth at another time; what follows from it is in no template',
  },
  RunTableProps: {
    removalPolicy: { destroyed: give('runTable', () => ({ removalPolicy: RemovalPolicy.DESTROY })) },
    deletionProtection: { off: give('runTable', () => ({ deletionProtection: false })) },
    pointInTimeRecovery: { off: give('runTable', () => ({ pointInTimeRecovery: false })) },
    encryptionKey: { on: give('runTable', (at) => ({ encryptionKey: at.key })) },
  },
  JobOptions: {
    timeout: everywhere({ timeout: Duration.minutes(2) }),
    retry: everywhereElse('RetryOptions'),
    overlap: everywhere({ overlap: 'bufferOne' }),
    catchUp: everywhereElse('CatchUpOptions'),
    dst: everywhere({ dst: { gap: 'runAfter', fold: 'second' } }),
    startGrace: everywhere({ startGrace: Duration.minutes(5) }),
    lease: everywhere({ lease: 'heartbeat' }),
    onTimeout: everywhere({ onTimeout: 'hold' }),
    pausable: everywhere({ pausable: true }),
    continuation: everywhere({ continuation: 'auto' }),
    maxSegments: everywhere({ maxSegments: 3 }),
    expectedDuration: everywhere({ expectedDuration: Duration.seconds(30) }),
    minimumDuration: everywhere({ minimumDuration: Duration.seconds(2) }),
    enabled: everywhere({ enabled: false }),
    memorySize: everywhere({ memorySize: 512 }),
    environment: everywhere({ environment: { COLOUR: 'blue' } }),
    failedAlarm: everywhere({ failedAlarm: true }),
    metrics: everywhere({ metrics: 'detailed' }),
    sourceMaps: everywhere({ sourceMaps: false }),
  },
  RetryOptions: {
    maxAttempts: everywhere({ retry: { maxAttempts: 5 } }),
    backoff: everywhere({ retry: { backoff: 'linear' } }),
    initialDelay: everywhere({ retry: { initialDelay: Duration.seconds(20) } }),
    maxDelay: everywhere({ retry: { maxDelay: Duration.hours(1) } }),
  },
  CatchUpOptions: {
    policy: everywhere({ catchUp: { policy: 'all', maxRuns: 3 } }),
    maxAge: everywhere({ catchUp: { maxAge: Duration.hours(4) } }),
    maxRuns: everywhere({ catchUp: { policy: 'all', maxRuns: 5 } }),
    harmfulWhenLate: everywhere({ catchUp: { policy: 'none', harmfulWhenLate: true } }),
  },
  WhenDue: {
    schedule: {
      'two instead of one': inJob(() => ({ schedule: ['0 8 * * *', '30 9 * * *', '15 11 1 * *'] })),
      'one instead of two': inJob(() => ({ schedule: '0 8 * * *' }), 'report'),
      interval: inJob(() => ({ schedule: '@every 7m' })),
      once: inFleetJob(() => ({ schedule: 'at(2027-01-01T09:00:00)' })),
    },
    timeZone: { another: inJob(() => ({ timeZone: 'America/New_York' })) },
  },
  FormerName: { renamedFrom: { renamed: renamed('invoices', 'billing') } },
  JobPlacement: {
    vpc: placed((at) => ({ vpc: at.vpc })),
    vpcSubnets: placed((at) => ({ vpc: at.vpc, vpcSubnets: { subnetGroupName: 'Inner' } })),
    securityGroups: placed((at) => ({ vpc: at.vpc, securityGroups: [at.securityGroup] })),
    layers: placed((at) => ({ layers: [at.layer] })),
    architecture: placed(() => ({ architecture: Architecture.X86_64 })),
  },
  ScheduledJobProps: {
    entry: everywhereElse('ScheduledJobProps.image and function'),
    files: { on: inJob(() => ({ files: ['job.ts'] })) },
    image: { on: inJob(image) },
    function: { on: inJob((at) => ({ function: at.function('existing') })) },
    description: { on: inJob(() => ({ description: 'Sends the invoices' })) },
  },
  JobFleetProps: { files: { on: inFleet(() => ({ files: ['job.ts'] })) } },
  FleetJobProps: { entry: 'names a file, whose content no rule looks at' },
  WatchdogProps: {
    scheduler: 'says whose it is',
    logRetention: { longer: give('watchdog', () => ({ logRetention: RetentionDays.ONE_YEAR })) },
    topics: { others: give('watchdog', (at) => ({ topics: new AlertTopics(at.watch, 'Notified') })) },
    remindEvery: { on: give('watchdog', () => ({ remindEvery: Duration.hours(4) })) },
    maintenance: { on: give('watchdog', () => ({ maintenance: [WINDOW] })) },
    reservedConcurrency: { on: give('watchdog', () => ({ reservedConcurrency: 1 })) },
  },
  AlertTopicsProps: {
    subscriptions: { on: give('topics', () => ({ subscriptions: { page: ['ops@example.com'] } })) },
    encryptionKey: { on: give('topics', (at) => ({ encryptionKey: at.key })) },
    encrypted: { off: give('topics', () => ({ encrypted: false })) },
    removalPolicy: { retained: give('topics', () => ({ removalPolicy: RemovalPolicy.RETAIN })) },
  },
  AlarmSetProps: {
    scheduler: 'says whose they are',
    topics: { others: give('alarms', (at) => ({ topics: new AlertTopics(at.watch, 'Others') })) },
    maxAlarms: 'refuses more at synth, and is in no template',
  },
  JobAlarmsProps: {
    job: { another: give('jobAlarms', () => ({ job: 'report' })) },
    kinds: { on: give('jobAlarms', () => ({ kinds: ['failed', 'timedOut', 'slow'] })) },
    severities: { on: give('jobAlarms', () => ({ severities: { failed: 'page' } })) },
  },
  LifecycleEventsProps: {
    scheduler: 'says whose runs they are of',
    bus: { given: give('lifecycle', (at) => ({ bus: at.bus })) },
    logRetention: { longer: give('lifecycle', () => ({ logRetention: RetentionDays.ONE_YEAR })) },
  },
  MaintenanceProps: {
    alarms: 'those of the fleet',
    prefix: 'see JobSchedulerProps.prefix',
    windows: {
      one: give('maintenance', () => ({ windows: [WINDOW] })),
      two: give('maintenance', () => ({ windows: [{ ...WINDOW, begins: '0 4 * * 1' }, WINDOW] })),
    },
  },
  EnvironmentDashboardProps: { scheduler: 'says whose it is', alarms: 'those of the fleet' },
};

function everywhereElse(where: string): string {
  return `see ${where}`;
}

/** The same job under another name. */
export function renamed(from: string, to: string): Change {
  return (app) => {
    const { [from]: job = () => ({}), ...others } = app.jobs;
    return { ...app, jobs: { ...others, [to]: (at) => ({ ...job(at), renamedFrom: from }) } };
  };
}

/** Beyond properties: what is there at all, and what kind it is of. */
export const APP_CHANGES: Readonly<Record<string, Change>> = {
  'a job more': inJob(() => ({}), 'another'),
  'a job less': ({ jobs: { report: _, ...jobs }, ...app }) => ({ ...app, jobs }),
  'no job with a function of its own': (app) => ({ ...app, jobs: {} }),
  'a job of the fleet more': (app) => withTenants(app, { dune: () => ({}) }),
  'a fleet more': (app) => ({
    ...app,
    fleets: { ...app.fleets, branch: { props: () => ({}), jobs: { north: () => ({}), south: () => ({}) } } },
  }),
  'no fleet': (app) => ({ ...app, fleets: {} }),
  'a job of its own becomes one of a fleet': ({ jobs: { invoices: _, ...jobs }, ...app }) => ({
    ...app,
    jobs,
    fleets: { ...app.fleets, invoices: { props: () => ({}), jobs: { monthly: () => ({ renamedFrom: 'invoices' }) } } },
  }),
  'the job of a fleet gets a function of its own': ({ fleets: _, ...app }) => ({
    ...app,
    fleets: {},
    jobs: { ...app.jobs, 'tenant-acme': () => ({}), 'tenant-bolt': () => ({}) },
  }),
  'a job with its own function is called as the fleet': ({ fleets: _, ...app }) => ({
    ...app,
    fleets: {},
    jobs: { ...app.jobs, tenant: () => ({}) },
  }),
  'two jobs swap their names': (app) => ({
    ...app,
    jobs: { ...app.jobs, invoices: app.jobs.report ?? (() => ({})), report: app.jobs.invoices ?? (() => ({})) },
  }),
  'no watchdog': ({ watchdog: _, ...app }) => ({ ...app, watchdog: undefined }),
  'no alarms': (app) => ({ ...app, alarms: undefined, hasDashboard: false }),
  'no dashboard': (app) => ({ ...app, hasDashboard: false }),
  'nothing that watches': (app) => ({ ...app, watchdog: undefined, alarms: undefined, hasDashboard: false }),
  'alarms of a job of its own': give('jobAlarms', () => ({})),
  'lifecycle events': give('lifecycle', () => ({})),
  maintenance: give('maintenance', () => ({ windows: [WINDOW] })),
  'everything at once': (app) =>
    [
      inScheduler((at) => ({ encryptionKey: at.key, removalPolicy: RemovalPolicy.RETAIN })),
      inJob((at) => ({ vpc: at.vpc, layers: [at.layer] })),
      inFleet((at) => ({ vpc: at.vpc })),
      give('lifecycle', () => ({})),
      give('jobAlarms', () => ({})),
      give('maintenance', () => ({ windows: [WINDOW] })),
    ].reduce((changed, change) => change(changed), app),
};

function withTenants(app: AppSpec, more: AppSpec['fleets'][string]['jobs']): AppSpec {
  const tenant = tenantOf(app);
  return { ...app, fleets: { ...app.fleets, tenant: { ...tenant, jobs: { ...tenant.jobs, ...more } } } };
}

/** Pairs that begin with something else than the usual app. */
export const APP_TRANSITIONS: Readonly<Record<string, readonly [Change, Change]>> = {
  'image to existing function': [inJob(image), inJob((at) => ({ function: at.function('existing') }))],
  'an existing function to another': [
    inJob((at) => ({ function: at.function('existing') })),
    inJob((at) => ({ function: at.function('other') })),
  ],
  'one network to another': [inFleet((at) => ({ vpc: at.vpc })), inFleet((at) => ({ vpc: at.otherVpc }))],
  'an alarm by option to one of a set': [inJob(() => ({ failedAlarm: true })), give('jobAlarms', () => ({}))],
  'the own bus to a given one': [give('lifecycle', () => ({})), give('lifecycle', (at) => ({ bus: at.bus }))],
  'one maintenance window more, in front': [
    give('maintenance', () => ({ windows: [WINDOW] })),
    give('maintenance', () => ({ windows: [{ ...WINDOW, begins: '0 4 * * 1' }, WINDOW] })),
  ],
  'wake-ups in a network': [
    inFleet((at) => ({ vpc: at.vpc })),
    (app) => inScheduler(() => ({ wakeUps: true }))(inFleet((at) => ({ vpc: at.vpc }))(app)),
  ],
  'another number of stacks, with another prefix': [
    inScheduler(() => ({ stacks: 3 })),
    inScheduler(() => ({ stacks: 5, prefix: 'another' })),
  ],
  'lifecycle events, another prefix': [
    give('lifecycle', () => ({})),
    (app) => inScheduler(() => ({ prefix: 'another' }))(give('lifecycle', () => ({}))(app)),
  ],
};
