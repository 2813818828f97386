import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePayload } from '../../../../src/hosts/rest/checks.ts';

const url = 'https://code.example/git';

describe('the avatars in responses of hosts', () => {
  it('get the host that a path or an address without a scheme lacks', () => {
    const text =
      '{"avatar_url":"/git/uploads/-/system/group/avatar/9/logo.png","author":{"avatarUrl" : "//assets.example/a.png?v=1"}}';
    assert.deepEqual(parsePayload(text, url), {
      avatar_url: 'https://code.example/git/uploads/-/system/group/avatar/9/logo.png',
      author: { avatarUrl: 'https://assets.example/a.png?v=1' },
    });
  });

  it('stay as they are where they have a host, and where there are none', () => {
    const payload = [{ avatar_url: 'https://gravatar.example/1' }, { avatar_url: null }, { avatar_url: '' }];
    assert.deepEqual(parsePayload(JSON.stringify(payload), url), payload);
  });

  it('become empty where they are no addresses', () => {
    assert.deepEqual(parsePayload('{"avatar_url":"//["}', url), { avatar_url: '' });
  });

  it('are not changed within texts that quote them', () => {
    const payload = { body: '{"avatar_url":"/uploads/a.png"}', path: '/uploads/a.png' };
    assert.deepEqual(parsePayload(JSON.stringify(payload), url), payload);
  });
});
