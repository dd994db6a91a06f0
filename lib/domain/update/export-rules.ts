import type { Obstacle } from '../plan/obstacle.ts';
import type { StackUpdate } from './stack-update.ts';

/**
 * Exports that go, or get another value, while a stack imports them that is still as it was: CloudFormation refuses to
 * update the stack that exports.
 */
export function exportRules({ before, after }: StackUpdate): readonly Obstacle[] {
  return before.stacks.flatMap((stack) => {
    const now = after.stack(stack.name);
    // A stack that the app has no more stays as it is.
    if (now === undefined) return [];
    const staying = new Map(after.exportsOf(now).map(({ name, value }) => [name, after.textOf(now, value)]));
    const updatedBefore = after.predecessorsOf(stack.name);
    return before.exportsOf(stack).flatMap(({ name, value }): readonly Obstacle[] => {
      const was = before.textOf(stack, value);
      if (staying.get(name) === was) return [];
      const importers = before.stacks
        .filter((other) => other.name !== stack.name && !updatedBefore.has(other.name))
        .filter((other) => before.importsOf(other).has(name))
        .map((other) => other.name);
      if (importers.length === 0) return [];
      const who = importers.join(', ');
      const what = staying.has(name) ? 'gets another value' : 'is removed';
      const gone = importers.filter((importer) => after.stack(importer) === undefined);
      return [
        {
          rule: 'ExportInUse',
          stack: stack.name,
          why: `the export '${name}' (${was}) ${what} while ${who}, which is updated later, still imports it`,
          wayOut:
            gone.length > 0
              ? `destroy ${gone.join(', ')} first, because the app does not have it any more`
              : `deploy twice: first keep the exported resource (in stack ${stack.name}, keep the construct and call exportValue() for it), so that ${who} stops importing it; then remove it`,
        },
      ];
    });
  });
}
