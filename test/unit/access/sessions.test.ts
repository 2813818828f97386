import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cookiesFor, readCookie } from '../../../src/accounts/access/sessions/session.ts';
import { localPath } from '../../../src/accounts/access/sessions/sign-in.ts';

describe('choice of cookies', () => {
  it('takes cookies with the prefix of their host by https, and without on this machine', () => {
    assert.deepEqual(cookiesFor('https://plaudit.example'), {
      session: '__Host-session',
      signIn: '__Host-sign-in',
      attributes: 'Path=/; HttpOnly; SameSite=Lax; Secure',
    });
    for (const local of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
      assert.equal(cookiesFor(local)?.session, 'session');
    }
    for (const open of ['http://plaudit.example', 'http://10.0.0.7', 'http://0.0.0.0:8080', 'http://127.example']) {
      assert.equal(cookiesFor(open), undefined, open);
    }
  });

  it('reads them by their whole name, in the right form alone', () => {
    const secret = 'x'.repeat(43);
    assert.equal(readCookie(`a=b; session=${secret}`, 'session'), secret);
    for (const cookie of [undefined, '', `my-session=${secret}`, 'session=short', `session=${secret}y`]) {
      assert.equal(readCookie(cookie, 'session'), undefined);
    }
  });
});

describe('localPath', () => {
  it('keeps a path of this service with its parameters', () => {
    assert.equal(localPath('/settings/github/ada?lang=de', '/'), '/settings/github/ada?lang=de');
  });

  it('replaces any other address', () => {
    const foreign = [
      'https://x.example',
      '//x.example',
      '/\\x.example',
      '/\n/x.example',
      '/.//x.example',
      'x',
      '',
      undefined,
    ];
    for (const text of foreign) assert.equal(localPath(text, '/settings'), '/settings', text);
  });
});
