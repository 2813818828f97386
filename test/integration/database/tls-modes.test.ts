import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { openUnchanged, toTlsConfig } from '../../../src/database/connections/open.ts';
import { createTestDatabase } from '../../database.ts';
import { createAuthority, startTlsDatabase } from '../../tls-server.ts';

describe('sslmode of a database with a certificate of an unknown authority', () => {
  it('verifies as in libpq, and makes the driver print no warning', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', onWarning);
    await using directory = await makeTemporaryDirectory();
    const authority = await createAuthority(directory.path);
    await using created = await createTestDatabase();
    await using server = await startTlsDatabase(authority, created.url);
    const opens = async (query: string, host = 'localhost'): Promise<boolean> => {
      const address = `${server.url.replace('localhost', host)}?${query}`;
      try {
        const database = await openUnchanged({ databaseUrl: address, dataDir: directory.path, log: () => {} });
        await database.close();
        return true;
      } catch {
        return false;
      }
    };
    const root = `sslrootcert=${encodeURIComponent(authority.caFile)}`;
    for (const [query, expected] of [
      ['sslmode=disable', false],
      ['sslmode=prefer', true],
      ['sslmode=require', true],
      ['sslmode=require&channel_binding=require', true],
      ['sslmode=no-verify', true],
      ['sslmode=verify-ca', false],
      ['sslmode=verify-full', false],
      ['sslmode=verify-full&sslrootcert=system', false],
      [`sslmode=verify-ca&${root}`, true],
      [`sslmode=verify-full&${root}`, true],
      [root, true],
    ] as const) {
      assert.equal(await opens(query), expected, query);
    }
    assert.equal(await opens(`sslmode=verify-ca&${root}`, '127.0.0.1'), true);
    assert.equal(await opens(`sslmode=verify-full&${root}`, '127.0.0.1'), false);
    const refused = openUnchanged({ databaseUrl: `${server.url}?sslmode=verify-full`, dataDir: '', log: () => {} });
    await assert.rejects(refused, /^AppError: The certificate of the database is not trusted: .*CA_FILE/);
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
  });

  it('is refused with the name of the setting for an unknown mode and an unreadable file', () => {
    const address = 'postgresql://user:secret@db.example/plaudit';
    assert.throws(() => toTlsConfig('DATABASE_URL', `${address}?sslmode=strict`), {
      message:
        'DATABASE_URL: sslmode must be one of disable, allow, prefer, no-verify, require, verify-ca, verify-full',
    });
    assert.throws(() => toTlsConfig('DATABASE_URL', `${address}?sslmode=require&sslrootcert=/nonexistent`), {
      message: "DATABASE_URL: sslrootcert names a file that can't be read",
    });
  });
});
