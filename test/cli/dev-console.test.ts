import { expect, test, vi } from 'vitest';
import { openInBrowser } from '../../lib/cli/dev-console.ts';
import { eventually } from '../support/eventually.ts';

test('where no browser can be opened, the person is told what to open', async () => {
  vi.stubEnv('PATH', '/nowhere');
  const said: string[] = [];
  openInBrowser('http://127.0.0.1:4747', (text) => said.push(text));
  await eventually(() => expect(said).toHaveLength(1));
  vi.unstubAllEnvs();
  expect(said[0]).toMatch(/no browser could be opened .*: open http:\/\/127\.0\.0\.1:4747 yourself/);
});
