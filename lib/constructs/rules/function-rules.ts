import type { JobRule } from './job-rule.ts';

/** Lambda allows 4 KB for all variables; the runtime's own take a part that is not known before the deployment. */
const MOST_VARIABLE_BYTES = 3_500;

const TAKEN = /^(BELFRY|AWS|LAMBDA)_/;
/** As Lambda takes them. */
const VARIABLE_NAME = /^[A-Za-z]\w+$/;

export const FUNCTION_RULES: readonly JobRule[] = [
  {
    code: 'ReservedVariable',
    severity: 'error',
    check: ({ options: { environment } }) => {
      const taken = Object.keys(environment).filter((name) => TAKEN.test(name));
      return taken.length > 0
        ? `environment sets ${taken.join(', ')}: names that begin with BELFRY_, AWS_ or LAMBDA_ are taken, use others`
        : undefined;
    },
  },
  {
    code: 'IllegalVariableName',
    severity: 'error',
    check: ({ options: { environment } }) => {
      const illegal = Object.keys(environment).filter((name) => !VARIABLE_NAME.test(name));
      return illegal.length > 0
        ? `environment sets '${illegal.join("', '")}': names have at least two letters, digits or underscores, a letter first`
        : undefined;
    },
  },
  {
    code: 'VariablesTooLarge',
    severity: 'error',
    check: ({ options: { environment }, definition }) => {
      const bytes = Buffer.byteLength(JSON.stringify(environment)) + Buffer.byteLength(JSON.stringify(definition));
      return bytes > MOST_VARIABLE_BYTES
        ? `its environment variables and its definition take ${bytes} bytes, of 4,096 that Lambda allows for all variables ${MOST_VARIABLE_BYTES} are left for them: put large values into a parameter or a file`
        : undefined;
    },
  },
  {
    code: 'MemoryOutOfRange',
    severity: 'error',
    check: ({ options: { memorySize } }) =>
      memorySize < 128 || memorySize > 10_240 || !Number.isInteger(memorySize)
        ? `memorySize is ${memorySize}, allowed are whole numbers of MiB from 128 to 10240`
        : undefined,
  },
  {
    code: 'RenamedFromItself',
    severity: 'error',
    check: ({ name, definition: { renamedFrom } }) =>
      renamedFrom === name ? `renamedFrom is its own name: leave it out, or say what it was called before` : undefined,
  },
];
