import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from '../../../src/http/pipeline/caller.ts';
import { toRequester, toSender } from '../../../src/http/pipeline/requester.ts';

const caller: Caller = { accountId: 'an id', tokenId: null, keyId: null, mayManage: false, expiresAt: 0 };
const toOrigins = (ip: string) => toRequester({ caller: null, ip }, false).origins;

describe('identification of the requester of a lookup', () => {
  it('takes the address and its network: /24 of IPv4, /64 of IPv6, in one spelling', () => {
    assert.deepEqual(toOrigins('203.0.113.7'), { address: '203.0.113.7', network: '203.0.113.0/24' });
    assert.deepEqual(toOrigins('::ffff:203.0.113.7'), toOrigins('203.0.113.7'));
    assert.deepEqual(toOrigins('2001:DB8:0:2::1'), { address: '2001:db8:0:2::1', network: '2001:db8:0:2::/64' });
    assert.deepEqual(toOrigins('2001:db8::2:0:0:0:1'), toOrigins('2001:db8:0:2::1'));
    assert.deepEqual(toOrigins('fe80::1%eth0'), { address: 'fe80::1', network: 'fe80::/64' });
  });

  it('takes all addresses of an IPv6 network /64 for one sender, and each IPv4 address for itself', () => {
    assert.equal(toSender('2001:db8:0:2::1'), toSender('2001:DB8:0:2:ffff::9'));
    assert.notEqual(toSender('2001:db8:0:2::1'), toSender('2001:db8:0:3::1'));
    assert.equal(toSender('::ffff:203.0.113.7'), '203.0.113.7');
    assert.notEqual(toSender('203.0.113.7'), toSender('203.0.113.8'));
  });

  it('takes no address for an image, from loopback, and with a service token', () => {
    const visitor = { ownerId: null, origins: undefined };
    const image = { ...visitor, imageNetwork: '203.0.113.0/24' };
    assert.deepEqual(toRequester({ caller: null, ip: '203.0.113.7' }, true), image);
    for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      assert.deepEqual(toRequester({ caller: null, ip }, false), visitor);
    }
    assert.deepEqual(toRequester({ caller, ip: '203.0.113.7' }, false), { ownerId: 'an id', origins: undefined });
  });
});
