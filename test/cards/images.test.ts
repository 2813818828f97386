import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { createImageClient, isPublic } from '../../src/cards/images/client.ts';
import { encodeImage, toDataAddress } from '../../src/cards/images/encode.ts';
import { ImageSource } from '../../src/cards/images/image-source.ts';
import { openTestDatabase } from '../database.ts';
import { avatar } from '../github/avatar.ts';
import { clock, until } from '../service.ts';

async function serve(listener: RequestListener): Promise<{ url: string; host: string } & AsyncDisposable> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('addresses that only we can reach are refused, however they are written', async () => {
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '172.16.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'nonsense',
    '',
  ]) {
    assert.equal(isPublic(address), false, address);
  }
  for (const address of ['140.82.121.3', '2606:50c0:8000::154']) assert.ok(isPublic(address), address);
  let asked = 0;
  await using own = await serve((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'content-type': 'image/png' }).end(avatar(1));
  });
  const { port } = new URL(own.url);
  const client = createImageClient(new Set());
  for (const address of [
    own.url,
    `http://localhost:${port}/`,
    'http://localhost/',
    'http://[::1]/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'https://user:password@images.example/',
    'ftp://images.example/',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'http://',
    `https://images.example/${'x'.repeat(3000)}`,
  ]) {
    await assert.rejects(client.fetch(address, null), address);
  }
  assert.equal(asked, 0);
  await client.close();
});

test('a server that may be asked cannot send us to one that may not', async () => {
  let asked = 0;
  await using secret = await serve((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'content-type': 'image/png' }).end(avatar(1));
  });
  await using images = await serve((request, response) => {
    const location = request.url === '/loop' ? '/loop' : request.url === '/moved' ? '/here' : `${secret.url}/`;
    if (request.url === '/here') response.writeHead(200, { 'content-type': 'image/png' }).end(avatar(2));
    else response.writeHead(302, { location }).end();
  });
  const client = createImageClient(new Set([images.host]));
  assert.deepEqual((await client.fetch(`${images.url}/moved`, null))?.bytes, avatar(2));
  await assert.rejects(client.fetch(`${images.url}/away`, null), /not a public address/);
  await assert.rejects(client.fetch(`${images.url}/loop`, null), /too many redirects/);
  assert.equal(asked, 0);
  await client.close();
});

test('what is no image, too large, or endless is refused', async () => {
  await using images = await serve((request, response) => {
    if (request.url === '/svg') response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>');
    else if (request.url === '/html') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    else if (request.url === '/gone') response.writeHead(404, { 'content-type': 'image/png' }).end(avatar(1));
    else if (request.url === '/told')
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '99999999' }).write('x');
    else {
      response.writeHead(200, { 'content-type': 'image/png' });
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', pour);
      pour();
    }
  });
  const client = createImageClient(new Set([images.host]));
  for (const path of ['svg', 'html', 'gone', 'told', 'endless'])
    await assert.rejects(client.fetch(`${images.url}/${path}`, null), path);
  await client.close();
});

test('images are encoded anew, small, whatever they were', async () => {
  const noise = Buffer.from(Array.from({ length: 460 * 460 * 3 }, (_, index) => (index * 7919) % 251));
  const photo = sharp(noise, { raw: { width: 460, height: 460, channels: 3 } });
  const moving = await sharp(Buffer.concat([noise, noise]), {
    raw: { width: 460, height: 920, channels: 3, pageHeight: 460 },
  })
    .gif()
    .toBuffer();
  for (const [name, bytes] of [
    ['png', avatar(7)],
    [
      'jpeg',
      await photo
        .clone()
        .withExif({ IFD0: { Copyright: 'private place' } })
        .jpeg()
        .toBuffer(),
    ],
    ['webp', await photo.clone().webp().toBuffer()],
    ['gif', moving],
  ] as const) {
    const { small, large } = await encodeImage(bytes);
    assert.ok(small.length <= 2000 && large.length <= 8000, `${name}: ${small.length} ${large.length}`);
    const { width, height, exif, pages = 1 } = await sharp(small).metadata();
    assert.deepEqual([width, height, exif, pages], [64, 64, undefined, 1], name);
    assert.match(toDataAddress(small), /^data:image\/(png|jpeg);base64,[\w+/=]+$/);
  }
  const glass = await sharp({ create: { width: 100, height: 100, channels: 4, background: '#ff000040' } })
    .png()
    .toBuffer();
  assert.equal((await sharp((await encodeImage(glass)).small).metadata()).hasAlpha, true);
});

test('what is damaged, of another kind, or a bomb is refused before it is unpacked', async () => {
  const side = 60_000;
  const header = avatar(1).subarray(0, 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(side, 0);
  size.writeUInt32BE(side, 4);
  size.set([1, 0, 0, 0, 0], 8);
  const bomb = Buffer.concat([header, chunk('IHDR', size), chunk('IDAT', deflateSync(Buffer.alloc(1_000_000)))]);
  const picture = avatar(3);
  const others = [
    '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
    '%PDF-1.7',
    'GIF89a',
    '',
  ];
  for (const bytes of [bomb, picture.subarray(0, 100), ...others.map((text) => Buffer.from(text))]) {
    await assert.rejects(encodeImage(bytes));
  }
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 20, maxLength: 60 }),
      fc.nat(picture.length - 60),
      async (noise, at) => {
        const broken = Buffer.from(picture);
        broken.set(noise, at);
        await encodeImage(broken).catch(() => {});
      },
    ),
    { numRuns: 40 },
  );
});

/** An account that has this avatar: what nobody shows is not kept. */
async function addAccount(
  database: Awaited<ReturnType<typeof openTestDatabase>>['database'],
  url: string,
): Promise<void> {
  await database.pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, display_name, avatar_url, website, description,
      named_at, created_at, updated_at)
    values (gen_random_uuid(), 'github', $1, $1, 'user', $1, '', $1, '', '', now(), now(), now())`,
    [url],
  );
}

test('images are asked for once, waited for no longer than the deadline, kept, and asked for anew when they are old', async () => {
  await using opened = await openTestDatabase();
  const { database } = opened;
  const requests: string[] = [];
  const held: (() => void)[] = [];
  let isDown = false;
  await using server = await serve((request, response) => {
    requests.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`);
    if (isDown) return response.writeHead(503).end();
    if (request.headers['if-none-match'] === '"one"') return response.writeHead(304).end();
    const send = (): void => {
      response.writeHead(200, { 'content-type': 'image/png', etag: '"one"' }).end(avatar(1));
    };
    if (request.url === '/slow') held.push(send);
    else send();
    return undefined;
  });
  const time = clock();
  const client = createImageClient(new Set([server.host]));
  const failures: unknown[] = [];
  const source = new ImageSource({
    connection: database.connection,
    client,
    now: time.now,
    onFailure: (error) => void failures.push(error),
  });
  const [fast, slow] = [`${server.url}/fast`, `${server.url}/slow`];
  for (const url of [fast, slow]) await addAccount(database, url);
  const inTime = (): Date => new Date(time.now().getTime() + 30_000);

  const both = await Promise.all([
    source.find([fast, fast, 'no address'], 'small', inTime()),
    source.find([fast], 'large', inTime()),
  ]);
  assert.deepEqual(
    both.map(({ images, isFinal }) => [images.size, isFinal]),
    [
      [1, true],
      [1, true],
    ],
  );
  assert.deepEqual(requests, ['/fast ']);
  const early = await source.find([fast, slow], 'small', time.now());
  assert.deepEqual([[...early.images.keys()], early.isFinal], [[fast], false]);
  await until(async () => held[0], 'the slow one is asked for');
  held[0]?.();
  const late = await source.find([fast, slow], 'small', inTime());
  assert.deepEqual([late.images.size, late.isFinal], [2, true]);
  assert.equal(requests.length, 2);

  time.advance(2 * 86_400);
  assert.equal((await source.find([fast], 'small', time.now())).images.size, 1);
  await until(async () => requests.find((one) => one === '/fast "one"'), 'it is asked for anew');
  isDown = true;
  await until(async () => ((await refreshOf(database, fast)) > time.now() ? true : undefined), 'the answer is stored');
  time.advance(2 * 86_400);
  assert.equal((await source.find([fast], 'small', time.now())).images.size, 1, 'the last good one stays');
  await source.close();
  assert.deepEqual(failures, []);
});

async function refreshOf(
  database: Awaited<ReturnType<typeof openTestDatabase>>['database'],
  url: string,
): Promise<Date> {
  const { rows } = await database.pool.query<{ refresh_at: Date }>('select refresh_at from images where url = $1', [
    url,
  ]);
  return rows[0]?.refresh_at ?? new Date(0);
}

test('one that cannot be had is not asked for again at once, and an image goes with its account', async () => {
  await using opened = await openTestDatabase();
  const { database } = opened;
  let asked = 0;
  await using server = await serve((request, response) => {
    asked += 1;
    if (request.url === '/good') response.writeHead(200, { 'content-type': 'image/png' }).end(avatar(1));
    else response.writeHead(200, { 'content-type': 'image/png' }).end('no image');
  });
  const time = clock();
  const client = createImageClient(new Set([server.host]));
  const source = new ImageSource({
    connection: database.connection,
    client,
    now: time.now,
    onFailure: (error) => assert.fail(String(error)),
  });
  const [bad, good, nobodys] = ['bad', 'good', 'nobodys'].map((name) => `${server.url}/${name}`) as [
    string,
    string,
    string,
  ];
  for (const url of [bad, good]) await addAccount(database, url);
  const deadline = new Date(time.now().getTime() + 30_000);
  for (let round = 0; round < 2; round += 1) {
    const { images, isFinal } = await source.find([bad, good], 'small', deadline);
    assert.deepEqual([[...images.keys()], isFinal], [[good], true]);
  }
  assert.equal(asked, 2);
  await source.find([nobodys], 'small', deadline);
  const count = async (): Promise<number> => Number((await database.pool.query('select 1 from images')).rowCount);
  assert.equal(await count(), 2);
  await database.pool.query('update accounts set avatar_url = $1 where name = $2', ['elsewhere', bad]);
  await database.pool.query('delete from accounts where name = $1', [good]);
  assert.equal(await count(), 0);
  await source.close();
});
