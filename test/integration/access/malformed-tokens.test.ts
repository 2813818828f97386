import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPublicKey } from '../../../src/accounts/access/keys/public-key.ts';
import { saveKey } from '../../../src/accounts/access/keys/store.ts';
import { verifyToken } from '../../../src/accounts/access/tokens/verify.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from '../contributions/stored-repository.ts';
import { ed25519, eddsa, forge, pem } from './forge-token.ts';

describe('verification of malformed tokens', () => {
  it('refuses claims of another type, with and without a valid signature', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    await addRepository(connection);
    const { id: accountId } = await connection.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
    const pair = ed25519();
    const key = readPublicKey(pem(pair.publicKey));
    const now = new Date();
    await saveKey(connection, { ...key, accountId, holder: { id: '1', name: 'github/ada' }, now: now });
    const context = { connection, now: () => now, publicUrl: () => 'https://plaudit.example' };
    const good = { sub: accountId, aud: 'https://plaudit.example', exp: Math.floor(now.getTime() / 1000) + 60 };
    const header = { alg: 'EdDSA', typ: 'JWT', kid: key.id };
    const control = await verifyToken(context, forge({ header, payload: good }, eddsa(pair.privateKey)));
    assert.equal(control.accountId, accountId);
    const values = [5, null, true, ['x'], { x: 1 }, '\0', ''];
    for (const value of values) {
      const claims = ['sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'scope'].map((claim) =>
        Object.assign({}, good, { [claim]: value }),
      );
      const forged = [
        ...claims.map((payload) => ({ header, payload })),
        ...['typ', 'kid', 'alg'].map((name) => ({
          header: Object.assign({}, header, { [name]: value }),
          payload: good,
        })),
      ];
      for (const parts of forged) {
        for (const signer of [eddsa(pair.privateKey), eddsa(ed25519().privateKey)]) {
          const outcome = await verifyToken(context, forge(parts, signer)).catch(
            (error: { code?: string }) => error.code,
          );
          const isHarmless = typeof outcome === 'object' && outcome.accountId === accountId;
          assert.ok(
            outcome === 'unauthenticated' || isHarmless,
            `${JSON.stringify(parts)}: ${JSON.stringify(outcome)}`,
          );
        }
      }
    }
  });
});
