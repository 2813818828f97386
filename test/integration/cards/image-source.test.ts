import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { avatar } from '../../../simulators/github/avatar.ts';
import { createImageClient, ImageSource } from '../../../src/views/cards/images/image-source.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { clock, until } from '../../time.ts';
import { serve } from '../../unit/outbound/receiver.ts';

/** Stores an account with this avatar, because an image is only stored while an account or a repository uses it. */
async function addAccount(
  database: Awaited<ReturnType<typeof reuseTestDatabase>>['database'],
  url: string,
): Promise<void> {
  await database.pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, display_name, avatar_url, website, description,
      named_at, created_at, updated_at)
    values (gen_random_uuid(), 'github', $1, $1, 'user', $1, '', $1, '', '', now(), now(), now())`,
    [url],
  );
}

describe('images of cards', () => {
  it('requests an image once, waits until the deadline, stores it, and requests it again when it is old', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const requests: string[] = [];
    const delayed: (() => void)[] = [];
    let isDown = false;
    await using server = await serve((request, response) => {
      requests.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`);
      if (isDown) return response.writeHead(503).end();
      if (request.headers['if-none-match'] === '"one"') return response.writeHead(304).end();
      const send = (): void => {
        response.writeHead(200, { 'content-type': 'image/png', etag: '"one"' }).end(avatar(1));
      };
      if (request.url === '/slow') delayed.push(send);
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
      source.find([fast, fast, 'no address'], { size: 'small', deadline: inTime() }),
      source.find([fast], { size: 'large', deadline: inTime() }),
    ]);
    assert.deepEqual(
      both.map(({ images, isFinal }) => [images.size, isFinal]),
      [
        [1, true],
        [1, true],
      ],
    );
    assert.deepEqual(requests, ['/fast ']);
    const early = await source.find([fast, slow], { size: 'small', deadline: time.now() });
    assert.deepEqual([[...early.images.keys()], early.isFinal], [[fast], false]);
    await until(async () => delayed[0], 'the slow image is requested');
    delayed[0]?.();
    const late = await source.find([fast, slow], { size: 'small', deadline: inTime() });
    assert.deepEqual([late.images.size, late.isFinal], [2, true]);
    assert.equal(requests.length, 2);

    time.advance(2 * 86_400);
    assert.equal((await source.find([fast], { size: 'small', deadline: time.now() })).images.size, 1);
    await until(async () => requests.find((request) => request === '/fast "one"'), 'the image is requested again');
    isDown = true;
    await until(
      async () => ((await findRefresh(database, fast)) > time.now() ? true : undefined),
      'the response is stored',
    );
    time.advance(2 * 86_400);
    assert.equal(
      (await source.find([fast], { size: 'small', deadline: time.now() })).images.size,
      1,
      'the last good one stays',
    );
    await source.close();
    assert.deepEqual(failures, []);
  });

  it('delays the next request of an invalid image, and deletes an image with its account', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    let requestCount = 0;
    await using server = await serve((request, response) => {
      requestCount += 1;
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
      const { images, isFinal } = await source.find([bad, good], { size: 'small', deadline });
      assert.deepEqual([[...images.keys()], isFinal], [[good], true]);
    }
    assert.equal(requestCount, 2);
    await source.find([nobodys], { size: 'small', deadline });
    const count = async (): Promise<number> => Number((await database.pool.query('select 1 from images')).rowCount);
    assert.equal(await count(), 2);
    await database.pool.query('update accounts set avatar_url = $1 where name = $2', ['elsewhere', bad]);
    await database.pool.query('delete from accounts where name = $1', [good]);
    assert.equal(await count(), 0);
    await source.close();
  });

  it('stores an image of a repository, revalidates it by its ETag, and deletes it with the repository', async () => {
    await using opened = await reuseTestDatabase();
    const { pool, connection } = opened.database;
    const requests: string[] = [];
    await using server = await serve((request, response) => {
      requests.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`);
      if (request.url === '/svg') response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>');
      else if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
      else response.writeHead(200, { 'content-type': 'image/png', etag: '"one"' }).end(avatar(1));
    });
    await addAccount(opened.database, 'owner');
    const { rows } = await pool.query<{ id: string }>(
      `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', 'r', 'r', id, 'r', false, false, now(), now(), now(), now() from accounts
    returning id`,
    );
    const id = rows[0]?.id ?? '';
    const time = clock();
    const source = new ImageSource({
      connection,
      client: createImageClient(new Set([server.host])),
      now: time.now,
      onFailure: (error) => assert.fail(String(error)),
    });
    const [good, svg, nobodys] = ['good', 'svg', 'nobodys'].map((name) => `${server.url}/${name}`) as [
      string,
      string,
      string,
    ];
    const repositories = new Map([
      [good, id],
      [svg, id],
      [nobodys, '00000000-0000-7000-8000-000000000000'],
    ]);
    const find = async (addresses: string[]): Promise<string[]> => {
      const deadline = new Date(time.now().getTime() + 30_000);
      const { images, isFinal } = await source.find(addresses, { size: 'large', repositories, deadline });
      assert.ok(isFinal);
      return [...images.keys()];
    };
    for (let round = 0; round < 2; round += 1) assert.deepEqual(await find([good, svg]), [good]);
    assert.deepEqual(requests, ['/good ', '/svg ']);
    time.advance(25 * 3600);
    assert.deepEqual(await find([good]), [good]);
    await until(
      async () => requests.find((request) => request === '/good "one"'),
      'the image is requested with its ETag',
    );
    assert.deepEqual(await find([nobodys]), [], 'images of deleted repositories are deleted');
    const { rowCount } = await pool.query('select 1 from images');
    assert.equal(rowCount, 2);
    await pool.query('delete from repositories');
    assert.equal((await pool.query('select 1 from images')).rowCount, 0);
    await source.close();
  });

  it('closes at once while images wait for a slot, and counts none of them as failed', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    let requests = 0;
    await using server = await serve(() => {
      requests += 1;
    });
    const time = clock();
    const failures: unknown[] = [];
    const source = new ImageSource({
      connection: database.connection,
      client: createImageClient(new Set([server.host])),
      now: time.now,
      onFailure: (error) => void failures.push(error),
    });
    const urls = Array.from({ length: 20 }, (_, index) => `${server.url}/${index}`);
    for (const url of urls) await addAccount(database, url);
    await source.find(urls, { size: 'small', deadline: time.now() });
    await until(async () => (requests === 8 ? true : undefined), 'the first eight are requested');
    await source.close();
    const { rows } = await database.pool.query('select url from images');
    assert.deepEqual(rows, []);
    assert.deepEqual(failures, []);
  });
});

async function findRefresh(
  database: Awaited<ReturnType<typeof reuseTestDatabase>>['database'],
  url: string,
): Promise<Date> {
  const { rows } = await database.pool.query<{ refresh_at: Date }>('select refresh_at from images where url = $1', [
    url,
  ]);
  return rows[0]?.refresh_at ?? new Date(0);
}
