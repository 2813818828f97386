import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { avatar } from '../../../simulators/github/avatar.ts';
import { encodeImage, toDataAddress } from '../../../src/views/cards/images/encode.ts';
import { createImageClient } from '../../../src/views/cards/images/image-source.ts';
import { serve } from '../outbound/receiver.ts';

describe('the images of a card', () => {
  it('requests no images from private addresses', async () => {
    let requestCount = 0;
    await using own = await serve((_request, response) => {
      requestCount += 1;
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
    assert.equal(requestCount, 0);
    await client.close();
  });

  it('follows redirects of an allowed server, but not to a forbidden one', async () => {
    let requestCount = 0;
    await using secret = await serve((_request, response) => {
      requestCount += 1;
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
    assert.equal(requestCount, 0);
    await client.close();
  });

  it('rejects a response that is no image, too large or endless', async () => {
    await using images = await serve((request, response) => {
      if (request.url === '/svg') response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>');
      else if (request.url === '/html') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
      else if (request.url === '/gone') response.writeHead(404, { 'content-type': 'image/png' }).end(avatar(1));
      else if (request.url === '/declared')
        response.writeHead(200, { 'content-type': 'image/png', 'content-length': '99999999' }).write('x');
      else {
        response.writeHead(200, { 'content-type': 'image/png' });
        const sendEndlessly = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', sendEndlessly);
        sendEndlessly();
      }
    });
    const client = createImageClient(new Set([images.host]));
    for (const path of ['svg', 'html', 'gone', 'declared', 'endless'])
      await assert.rejects(client.fetch(`${images.url}/${path}`, null), path);
    await client.close();
  });

  it('encodes images of any format again in a small size', async () => {
    const side = 240;
    const noise = Buffer.from(Array.from({ length: side * side * 3 }, (_, index) => (index * 7919) % 251));
    const photo = sharp(noise, { raw: { width: side, height: side, channels: 3 } });
    const moving = await sharp(Buffer.concat([noise, noise]), {
      raw: { width: side, height: 2 * side, channels: 3, pageHeight: side },
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

  it('rejects a damaged file, another format and a decompression bomb before it decodes them', async () => {
    const side = 60_000;
    const header = avatar(1).subarray(0, 8);
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
});

/** Returns a chunk of a PNG file, with a wrong checksum. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}
