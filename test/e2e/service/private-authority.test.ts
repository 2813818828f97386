import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { trustAuthorities } from '../../../src/app/config/authorities.ts';
import { createOutboundClient } from '../../../src/hosts/outbound/client.ts';
import { createTestDatabase } from '../../database.ts';
import { createAuthority, startTlsDatabase, startTlsServer } from '../../tls-server.ts';
import { startTestService } from '../service.ts';

describe('CA_FILE of a service', () => {
  it('is trusted by requests to the API, git, the database, messages and avatars', async () => {
    await using directory = await makeTemporaryDirectory();
    const authority = await createAuthority(directory.path);
    const { caFile } = authority;
    trustAuthorities({ CA_FILE: caFile }, (path) => readFileSync(path, 'utf8'));
    await using simulator = await startSimulator({ repositories: 1 });
    await using host = await startTlsServer(authority, simulator.url);
    await using created = await createTestDatabase();
    await using database = await startTlsDatabase(authority, created.url);
    await using service = await startTestService({
      simulator: {
        tokens: simulator.tokens,
        url: host.url,
        apiUrl: `${host.url}${new URL(simulator.apiUrl).pathname.replace(/\/$/, '')}`,
      },
      databaseUrl: created.url,
      settings: { CA_FILE: caFile, DATABASE_URL: `${database.url}?sslmode=verify-full` },
    });
    const { body } = await service.getComplete(`${simulator.accounts.organization}/contributors`);
    assert.ok(body.data.length > 0);
    assert.ok(simulator.gitRequests.length > 0);
    const { rows } = await service.database.pool.query('select from streams where failure is not null');
    assert.deepEqual(rows, []);

    const client = createOutboundClient({ allowedHosts: new Set([new URL(host.url).host]), allowsHttp: false });
    const message = { method: 'GET', url: `${host.url}/`, headers: {}, timeoutMs: 30_000, maxBytes: 1000 } as const;
    assert.equal((await client.send(message)).isWhole, true);
    await client.close();
  });
});
