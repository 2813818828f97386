import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDatabaseUnavailable } from '../../../src/database/connections/unavailable.ts';

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('failures of an unavailable database', () => {
  it('are those of a worker of a Citus cluster as well, also where Citus gives no code of connections', () => {
    for (const message of [
      'failure on connection marked as essential: 127.0.0.1:5433',
      "failed to prepare transaction 'citus_0_4711_12_1' on host 127.0.0.1:5433",
      'could not commit transaction for shard 102008 on at least one active node',
      'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    ]) {
      assert.ok(isDatabaseUnavailable(failure('XX000', message)), message);
    }
    assert.ok(isDatabaseUnavailable(failure('08006', 'connection to the remote node plaudit@worker:5432 failed')));
  });

  it('are no other failures of statements', () => {
    assert.ok(!isDatabaseUnavailable(failure('XX000', 'could not find unsafe expression')));
    assert.ok(!isDatabaseUnavailable(failure('42601', 'syntax error')));
    assert.ok(!isDatabaseUnavailable('08006'));
  });
});
