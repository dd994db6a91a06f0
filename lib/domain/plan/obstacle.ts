/** Why a deployment would fail, or leave a stack that nobody can update. */
export interface Obstacle {
  /** A PascalCase name of the rule. */
  readonly rule: string;
  readonly stack: string;
  /** Logical id, where it is about one resource. */
  readonly resource?: string;
  readonly why: string;
  readonly wayOut: string;
}

/** Stacks that CloudFormation does not update in the state that they are in. */
export function statusObstacles(
  stacks: readonly { readonly name: string; readonly status?: string }[],
): readonly Obstacle[] {
  return stacks.flatMap(({ name, status = '' }): Obstacle[] => {
    // A nested stack has its parent's status.
    if (name.includes('/')) return [];
    if (status.endsWith('_IN_PROGRESS')) {
      return [
        {
          rule: 'StackBusy',
          stack: name,
          why: `CloudFormation is at work on the stack (${status}) and takes no update meanwhile`,
          wayOut: 'wait until it has ended, and plan again',
        },
      ];
    }
    if (status === 'UPDATE_ROLLBACK_FAILED') {
      return [
        {
          rule: 'RollbackFailed',
          stack: name,
          why: 'an update failed and so did its rollback: the stack takes no update',
          wayOut: `mend what its events name, then: aws cloudformation continue-update-rollback --stack-name ${name}`,
        },
      ];
    }
    if (/^(CREATE|DELETE|ROLLBACK|IMPORT_ROLLBACK)_FAILED$/.test(status)) {
      return [
        {
          rule: 'StackFailed',
          stack: name,
          why: `the stack is in status ${status}, in which it takes no update`,
          wayOut: `look at its events, then delete it: aws cloudformation delete-stack --stack-name ${name}`,
        },
      ];
    }
    return [];
  });
}

/** An export that goes while a stack that this deployment leaves alone imports it. */
export interface ExportInUse {
  readonly exportName: string;
  readonly stack: string;
  readonly importers: readonly string[];
}

export function exportObstacles(exports: readonly ExportInUse[]): readonly Obstacle[] {
  return exports.map(({ exportName, stack, importers }) => ({
    rule: 'ExportInUse',
    stack,
    why: `the export '${exportName}' goes while ${importers.join(', ')}, which is not deployed with it, imports it`,
    wayOut: `take the import out of ${importers.join(', ')} and deploy that first`,
  }));
}
