import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { createTestDatabase } from '../../database.ts';
import { startServiceProcess } from '../../e2e/installed/service-process.ts';
import { programEnvironment } from '../../program.ts';
import { startStoredService } from '../../service/http/stored-service.ts';
import { addHeader } from './add-header.ts';

/** Tests that `described.test.ts` runs: some of the responses of their services have a header that is not described. */

const unreachable = 'http://127.0.0.1:9';

it('sends a response that is described', async () => {
  await using service = await startStoredService();
  await service.get('/readyz');
});

it('sends one that is not described', async () => {
  subscribe('fastify.initialization', addHeader);
  await using service = await startStoredService();
  unsubscribe('fastify.initialization', addHeader);
  await service.get('/readyz');
});

it('has another process send one that is not described, and kills it', async () => {
  const preload = `data:text/javascript,${encodeURIComponent(`
    import { subscribe } from 'node:diagnostics_channel';
    import { addHeader } from '${new URL('add-header.ts', import.meta.url).href}';
    subscribe('fastify.initialization', addHeader);
  `)}`;
  await using database = await createTestDatabase();
  await using directory = await makeTemporaryDirectory();
  await using service = await startServiceProcess({
    NODE_OPTIONS: `${programEnvironment().NODE_OPTIONS} --import=${preload}`,
    DATABASE_URL: database.url,
    DATA_DIR: directory.path,
    GITHUB_URL: unreachable,
    GITHUB_API_URL: unreachable,
  });
  await fetch(`${service.url}/healthz`);
  await service.kill();
});
