import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ada } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

const streamsPerAddress = 6;

describe('progress of a lookup', () => {
  const shared = shareStoredService({ service: { settings: { TRUST_PROXY: 'loopback', LOOKUPS_PER_HOUR: '1' } } });
  const open = (name: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${shared.service.url}/pages/progress/github/${name}`, {
      headers: { 'x-forwarded-for': '10.9.0.1' },
      ...(signal && { signal }),
    });

  it('shows a page that fills itself in, with a link for browsers without scripts', async () => {
    const { status, text, headers } = await shared.service.get('/github/not-yet-known', {
      headers: { accept: 'text/html' },
    });
    assert.equal(status, 202);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.ok(text.includes('data-progress="/pages/progress/github/not-yet-known"'));
    assert.ok(text.includes('<script src="/pages/progress.js" defer></script>'));
    assert.ok(text.includes('<a class="button" href="">Refresh</a>'));
    assert.equal((await shared.service.get('/pages/progress.js')).status, 200);
  });

  it('says when the account is there', async () => {
    const response = await open(ada.name);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.match(await response.text(), /^: waiting\n\n.*event: ready\ndata: {}\n\n$/s);
  });

  it('says how many public repositories are collected so far, for the text of the page', async () => {
    const { organization } = shared.simulator.accounts;
    const { rows } = await shared.service.database.pool.query<{ count: number }>(
      `select count(*)::int from repositories r join accounts a on a.id = r.owner_id where a.name = $1 and not r.is_private`,
      [organization],
    );
    const total = rows[0]?.count ?? assert.fail();
    const text = await (await open(organization)).text();
    assert.match(
      text,
      new RegExp(`^: waiting\n\nevent: progress\ndata: {"total":${total},"complete":\\d+}\n\nevent: ready`),
    );
    const { text: page } = await shared.service.get('/github/not-yet-known', { headers: { accept: 'text/html' } });
    assert.ok(page.includes('data-counts="Complete: {n} of {total} repositories"'));
  });

  it('waits for accounts that are not, for a limited number of pages of one address', async () => {
    const ending = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: streamsPerAddress }, () => open('not-known-either', ending.signal)),
    );
    for (const { status } of streams) assert.equal(status, 200);
    assert.equal((await open(ada.name)).status, 429);
    ending.abort();
    await Promise.allSettled(streams.map((stream) => stream.text()));
  });

  it('stays silent while a lookup beyond the allowance is delayed', async () => {
    const ending = new AbortController();
    const { body } = await open('delayed-for-long', ending.signal);
    const reader = body?.getReader() ?? assert.fail();
    const { value } = await reader.read();
    assert.equal(Buffer.from(value ?? []).toString(), ': waiting\n\n');
    const later = reader.read().then(
      () => 'more',
      () => 'ended',
    );
    // Responses to other requests show that the service had time to write.
    for (let index = 0; index < 20; index += 1) await shared.service.get('/pages/progress.js');
    ending.abort();
    assert.equal(await later, 'ended');
  });
});
