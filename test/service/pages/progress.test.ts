import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { announce } from '../../../src/database/queue/announcements.ts';
import { ada } from '../../integration/access/owner.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';

const streamsPerAddress = 6;

describe('progress of a lookup', () => {
  const shared = shareStoredService({ service: { settings: { TRUST_PROXY: 'loopback', LOOKUPS_PER_HOUR: '1' } } });
  const open = (name: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${shared.service.url}/pages/progress/github/${name}`, {
      headers: { 'x-forwarded-for': '10.9.0.1' },
      ...(signal && { signal }),
    });
  /**
   * Stores when repositories of an account were collected, null: they are not, and drops the cached pages, as each change
   * by the service does.
   * @param repositories a regular expression for their names.
   */
  const setCompleted = async (owner: string, repositories: string, at: Date | null): Promise<void> => {
    const { connection, pool } = shared.service.database;
    const { rows } = await pool.query<{ id: string }>('select id from accounts where name = $1', [owner]);
    const id = rows[0]?.id ?? assert.fail();
    await pool.query(
      `update streams set completed_at = $3 where repository_id in (
         select id from repositories where owner_id = $1 and name ~ ('^' || $2 || '$'))`,
      [id, repositories, at],
    );
    await announce(connection, { kind: 'account', key: id });
  };

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

  it('follows the collection of an organization on its page until it is complete', async () => {
    const { organization } = shared.simulator.accounts;
    const { pool } = shared.service.database;
    const ofOrganization = `repository_id in (select r.id from repositories r join accounts a on a.id = r.owner_id
      where a.name = $1)`;
    const complete = await shared.service.get(`/github/${organization}`);
    assert.ok(!complete.text.includes('data-progress'));
    await pool.query(`update streams set completed_at = null where ${ofOrganization}`, [organization]);
    // Another address is another response than the cached one.
    const { text } = await shared.service.get(`/github/${organization}?people=100`);
    const path = /data-progress="([^"]*)"/.exec(text)?.[1];
    assert.equal(path, `/pages/progress/github/${organization}?until=complete`);
    assert.match(text, /<span data-counts="[^"]*">Complete: 0 of \d+ repositor/);
    assert.ok(text.includes('<script src="/pages/progress.js" defer></script>'));
    const ending = new AbortController();
    const { body } = await open(`${organization}?until=complete`, ending.signal);
    let written = '';
    const reader = body?.getReader() ?? assert.fail();
    while (!written.includes('event: progress')) written += Buffer.from((await reader.read()).value ?? []).toString();
    assert.ok(!written.includes('event: ready'), written);
    ending.abort();
    await pool.query(`update streams set completed_at = now() where ${ofOrganization}`, [organization]);
    assert.match(await (await open(`${organization}?until=complete`)).text(), /event: ready/);
  });

  it('fills in the page of an organization, with its calendar, once everything is collected', async () => {
    const { organization } = shared.simulator.accounts;
    await setCompleted(organization, '.*', null);
    const browser = await sharedBrowser();
    const page = await browser.newPage();
    await page.goto(`${shared.service.url}/github/${organization}?period=this-year`);
    await page.waitForSelector('[data-progress]');
    await setCompleted(organization, '.*', new Date());
    await page.waitForSelector('[data-progress]', { state: 'detached' });
    const calendar = await page.getAttribute('img.calendar', 'src');
    assert.match(calendar ?? '', /#\d+$/);
    assert.equal(await page.textContent('h1'), 'Analytical Engines');
    await page.close();
  });

  it('fills in the page of a repository once everything of it is collected', async () => {
    const { organization } = shared.simulator.accounts;
    await setCompleted(organization, 'engine-1', null);
    const { text } = await shared.service.get(`/github/${organization}/engine-1?period=this-year`);
    const path = /data-progress="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    assert.equal(path, `/pages/progress/github/${organization}?until=complete&repository=engine-1`);
    const { text: ofAnother } = await shared.service.get(`/github/${organization}/much-reviewed?period=this-year`);
    assert.ok(!ofAnother.includes('data-progress'));
    const browser = await sharedBrowser();
    const page = await browser.newPage();
    await page.goto(`${shared.service.url}/github/${organization}/engine-1?period=this-year`);
    assert.match((await page.textContent('[data-progress]')) ?? '', /^Collecting · The numbers will be here/);
    await setCompleted(organization, 'engine-1', new Date());
    await page.waitForSelector('[data-progress]', { state: 'detached' });
    assert.equal(await page.textContent('h1'), 'engine-1');
    await page.close();
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
