import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../lib/constructs');

export interface DeclaredProp {
  readonly owner: string;
  readonly name: string;
  readonly isOptional: boolean;
  readonly comment: string;
}

/** What users write when they declare: members of interfaces named …Props, …Options, …Placement, WhenDue, FormerName. */
export function declaredProps(): readonly DeclaredProp[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const interfaces = text.matchAll(
      /^export interface ((?!Resolved|JobFunction|JobRole|FleetPart)\w*(?:Props|Options|Placement|WhenDue|FormerName))\b[^{]*\{\n([\s\S]*?)^\}/gm,
    );
    return [...interfaces].flatMap(([, owner = '', body = '']) =>
      [...body.matchAll(/((?: {2}\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?) {2}readonly (\w+)(\??):/g)].map(
        ([, comment = '', name = '', mark]) => ({ owner, name, isOptional: mark === '?', comment }),
      ),
    );
  });
}
