import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { withTestServer } from '../database-server.ts';
import { startTestService } from '../e2e/service.ts';

/** Writes the description of the API, from which the client in `client/` is generated. */

const file = fileURLToPath(new URL('../../client/openapi.json', import.meta.url));
const unreachable = { url: 'http://127.0.0.1:9', apiUrl: 'http://127.0.0.1:9/api', tokens: {} as never };
const settings = { PUBLIC_URL: 'https://plaudit.example.org' };

async function writeDocument(): Promise<void> {
  await using service = await startTestService({ simulator: unreachable, tokens: [], settings });
  const document = await fetch(`${service.url}/openapi.json`);
  await writeFile(file, `${JSON.stringify(await document.json(), null, 2)}\n`);
}

const isInTestRun = process.env['TEST_SERVER_URL'] !== undefined;
if (isInTestRun) await writeDocument();
else {
  await withTestServer((environment) => {
    Object.assign(process.env, environment);
    return writeDocument();
  });
}
