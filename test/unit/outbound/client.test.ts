import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { describe, it } from 'node:test';
import {
  createOutboundClient,
  isPublicAddress,
  type OutboundClient,
  RefusedAddress,
} from '../../../src/hosts/outbound/client.ts';
import { serve } from './receiver.ts';

const send = (client: OutboundClient, url: string, timeoutMs = 5000) =>
  client.send({ method: 'GET', url, headers: {}, timeoutMs, maxBytes: 1000 });

describe('requests to addresses that users name', () => {
  it('distinguishes internal addresses from public ones, even if one kind is mapped into another', () => {
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '192.168.0.1',
      '172.16.0.1',
      '169.254.169.254',
      '168.63.129.16',
      '100.100.100.200',
      '192.0.0.192',
      '0.0.0.0',
      '100.64.0.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::1',
      '::',
      '::127.0.0.1',
      '::ffff:127.0.0.1',
      '::ffff:0:127.0.0.1',
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '64:ff9b::7f00:1',
      '64:ff9b:1::7f00:1',
      '2002:7f00:1::',
      '2001:0:7f00:1::',
      '2001:db8::1',
      '3fff::1',
      '4000::1',
      'nonsense',
      '',
    ]) {
      assert.equal(isPublicAddress(address), false, address);
    }
    for (const address of ['140.82.121.3', '::ffff:140.82.121.3', '2606:50c0:8000::154']) {
      assert.ok(isPublicAddress(address), address);
    }
  });

  it('sends no request to an address that is not public, regardless of its notation', async () => {
    let requestCount = 0;
    await using own = await serve((_request, response) => {
      requestCount += 1;
      response.end();
    });
    const { port } = new URL(own.url);
    const client = createOutboundClient({ allowedHosts: new Set(), allowsHttp: true });
    for (const address of [
      own.url,
      `http://localhost:${port}/`,
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://0x7f.1/',
      'http://2130706433/',
      'http://[::ffff:7f00:1]/',
      'http://169.254.169.254/latest/meta-data/',
      'https://140.82.121.3:22/',
      'https://user:password@hooks.example/',
      'ftp://hooks.example/',
      'file:///etc/passwd',
      'data:text/plain,x',
      'http://',
      `https://hooks.example/${'x'.repeat(3000)}`,
    ]) {
      await assert.rejects(send(client, address), RefusedAddress, address);
    }
    await assert.rejects(send(client, 'http://localhost/'), /not a public address/);
    const strict = createOutboundClient({ allowedHosts: new Set(), allowsHttp: false });
    await assert.rejects(send(strict, 'http://140.82.121.3/'), /https/);
    assert.equal(requestCount, 0);
    await Promise.all([client.close(), strict.close()]);
  });

  it('connects to the address that was checked, and refuses a name with any internal address', async () => {
    const lookupResults = [
      [{ address: '127.0.0.1', family: 4 }],
      [
        { address: '140.82.121.3', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ],
      [{ address: '64:ff9b::7f00:1', family: 6 }],
      [],
    ];
    const lookedUpNames: string[] = [];
    const changing = ((name: string, _options: object, callback: (error: null, addresses: object[]) => void) => {
      lookedUpNames.push(name);
      callback(null, lookupResults[lookedUpNames.length - 1] ?? []);
    }) as unknown as typeof lookup;
    const client = createOutboundClient({ allowedHosts: new Set(), allowsHttp: true, lookup: changing });
    for (const [index] of lookupResults.entries()) {
      await assert.rejects(send(client, 'http://hooks.example/'), RefusedAddress, String(index));
      assert.equal(lookedUpNames.length, index + 1, 'it is looked up once for each connection');
    }
    await client.close();
  });

  it('returns a redirect without following it', async () => {
    let requestCount = 0;
    await using secret = await serve((_request, response) => {
      requestCount += 1;
      response.end();
    });
    await using receiver = await serve((request, response) => {
      const location = request.url === '/inside' ? secret.url : 'http://169.254.169.254/latest/meta-data/';
      response.writeHead(307, { location }).end();
    });
    const client = createOutboundClient({ allowedHosts: new Set([receiver.host, secret.host]), allowsHttp: false });
    for (const path of ['/inside', '/metadata']) assert.equal((await send(client, receiver.url + path)).status, 307);
    assert.equal(requestCount, 0);
    await client.close();
  });

  it('reads a response up to the size limit, and waits for it up to the time limit', async () => {
    await using receiver = await serve((request, response) => {
      if (request.url === '/silent') return;
      if (request.url === '/gone') {
        request.socket.destroy();
        return;
      }
      response.writeHead(200, request.url === '/declared' ? { 'content-length': '99999999' } : {});
      if (request.url === '/short') {
        response.end('ok');
        return;
      }
      response.write('x');
      if (request.url !== '/endless') return;
      const sendEndlessly = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', sendEndlessly);
      sendEndlessly();
    });
    const client = createOutboundClient({ allowedHosts: new Set([receiver.host]), allowsHttp: false });
    const { body, isWhole } = await send(client, `${receiver.url}/short`);
    assert.deepEqual([body.toString(), isWhole], ['ok', true]);
    for (const path of ['/declared', '/endless']) {
      const response = await send(client, receiver.url + path);
      assert.deepEqual([response.status, response.isWhole], [200, false], path);
      assert.ok(response.body.length <= 1000);
    }
    await assert.rejects(send(client, `${receiver.url}/gone`));
    await Promise.all([
      send(client, `${receiver.url}/stalling`, 500).then(({ status, isWhole, body }) =>
        assert.deepEqual([status, isWhole, body.toString()], [200, false, 'x']),
      ),
      assert.rejects(send(client, `${receiver.url}/silent`, 500), { name: 'TimeoutError' }),
    ]);
    await client.close();
  });
});
