import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  DescribeStackResourceCommand,
  GetTemplateCommand,
  ListImportsCommand,
  paginateListStacks,
} from '@aws-sdk/client-cloudformation';

export interface FoundStack {
  readonly name: string;
  readonly arn: string;
  readonly status: string;
}

/** Statuses in which a stack has nothing deployed: it was never created, or is gone. */
const NOT_DEPLOYED = new Set(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'DELETE_COMPLETE']);

/** What CloudFormation holds. It is read, and nothing is changed. */
export class DeployedStacks {
  readonly #client: CloudFormationClient;

  constructor(settings: CloudFormationClientConfig = {}) {
    this.#client = new CloudFormationClient(settings);
  }

  /** All stacks of the account and Region that are deployed, without those nested in others. */
  async list(): Promise<readonly FoundStack[]> {
    const found: FoundStack[] = [];
    for await (const { StackSummaries = [] } of paginateListStacks({ client: this.#client }, {})) {
      for (const { StackName: name = '', StackId: arn = '', StackStatus: status = '', ParentId } of StackSummaries) {
        if (ParentId === undefined && !NOT_DEPLOYED.has(status)) found.push({ name, arn, status });
      }
    }
    return found;
  }

  /** The template as it was handed in, before macros were applied: what is compared with it has had none applied either. */
  async template(stack: string): Promise<string> {
    const { TemplateBody = '' } = await this.#client.send(
      new GetTemplateCommand({ StackName: stack, TemplateStage: 'Original' }),
    );
    return TemplateBody;
  }

  /** ARN of the stack that is nested under this logical id. */
  async nested(stack: string, logicalId: string): Promise<string | undefined> {
    const { StackResourceDetail } = await this.#client.send(
      new DescribeStackResourceCommand({ StackName: stack, LogicalResourceId: logicalId }),
    );
    return StackResourceDetail?.PhysicalResourceId;
  }

  /** Names of the stacks that import an export now. */
  async importers(exportName: string): Promise<readonly string[]> {
    try {
      const { Imports = [] } = await this.#client.send(new ListImportsCommand({ ExportName: exportName }));
      return Imports;
    } catch (error) {
      // That is how it says that nobody does.
      if (error instanceof Error && /not imported|does not exist/i.test(error.message)) return [];
      throw error;
    }
  }

  /** Where it asks. */
  region(): Promise<string> {
    return this.#client.config.region();
  }

  close(): void {
    this.#client.destroy();
  }
}
