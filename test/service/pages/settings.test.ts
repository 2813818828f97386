import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { findByName } from '../../../src/accounts/store.ts';
import { collectJob } from '../../../src/contributions/items/jobs.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { delayLookup, failLookup } from '../../../src/database/queue/lookups.ts';
import { AppError } from '../../../src/model/errors.ts';
import { failStream } from '../../../src/sync/streams/stream-store.ts';
import type { ServiceResponse } from '../../e2e/service.ts';
import { decode } from '../../integration/access/forge-token.ts';
import { ada, bearer, engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { atHost, formToken, signIn, signInSettings, Visitor } from './signed-in.ts';

const path = `/settings/github/${keeper.name}`;

describe('managing an account on pages', () => {
  const shared = shareStoredService({ service: { settings: { ...signInSettings, TRUST_PROXY: 'loopback' } } });
  const owner = () => signIn(shared.service, shared.simulator, 'private_owner');
  const administrator = () =>
    signIn(shared.service, shared.simulator, 'organization_admin', `?organization=${engines.name}`);

  /** Sends a form of a section, as a browser that shows the section does. */
  async function send(visitor: Visitor, section: string, fields: Record<string, string>): Promise<ServiceResponse> {
    const form = await visitor.get(section);
    assert.equal(form.status, 200, form.text);
    return visitor.post(section, { form_token: formToken(form), ...fields });
  }

  it('takes effect at the API, with the same audit trail', async () => {
    const visitor = await owner();
    const changed = await send(visitor, `${path}/privacy`, {
      action: 'change',
      publish_private_contributions: 'true',
      boards_repository: '',
    });
    assert.equal(changed.headers.get('location'), `${path}/privacy?done`);
    const published = await shared.service.get(`${keeper.name}/contributions?private=true`);
    assert.equal(published.body.meta_data.includes_private, true);
    assert.match(
      (await visitor.get(`${path}/privacy?done`)).text,
      /publish_private_contributions" value="true"[^>]* checked/,
    );
    const audit = await visitor.get(`${path}/audit`);
    assert.match(audit.text, /settings_changed<\/code><\/strong> <bdi>github\/secret-keeper/);
    await send(visitor, `${path}/privacy`, { action: 'change', boards_repository: '' });
    const withdrawn = await shared.service.get(`${keeper.name}/contributions?private=true`);
    assert.equal(withdrawn.body.meta_data.includes_private, false);
  });

  it('says that nothing was changed when the session has ended, and leads back to the form', async () => {
    const visitor = await owner();
    visitor.cookies.clear();
    const refused = await visitor.post(`${path}/privacy`, { action: 'change', hidden: 'true' });
    const address = refused.headers.get('location') ?? '';
    assert.equal(refused.status, 303);
    const { text } = await visitor.get(address);
    assert.match(text, /<p class="warning">The session has ended. Nothing was changed.<\/p>/);
    const link = /href="(\/sign-in\/github\?[^"]+)"/.exec(text)?.[1] ?? assert.fail(text);
    const back = await visitor.get(await atHost(await visitor.get(link)));
    assert.equal(back.headers.get('location'), `${path}/privacy`);
    const opened = await visitor.get(`${path}/privacy`);
    const fresh = await new Visitor(shared.service).get(address.replace(/&ended=$/, ''));
    assert.doesNotMatch(opened.text, /name="hidden"[^>]* checked/);
    assert.doesNotMatch(fresh.text, /session has ended/);
  });

  it('makes and revokes a link whose address is shown once', async () => {
    const visitor = await owner();
    const image = `/v1/github/entities/${keeper.name}/contributions?private=true`;
    const response = await send(visitor, `${path}/embeds`, { action: 'make', path: image, format: 'svg' });
    assert.equal(response.status, 200);
    const url =
      />(http[^<]*\/v1\/embeds\/[\w-]{43}\.svg)<\/textarea>/.exec(response.text)?.[1] ?? assert.fail(response.text);
    const opened = await shared.service.get(new URL(url).pathname);
    assert.equal(opened.status, 200);
    const { text } = await visitor.get(`${path}/embeds`);
    assert.ok(!text.includes(url));
    const id = /name="id" value="([\w-]+)"/.exec(text)?.[1] ?? assert.fail();
    assert.equal((await send(visitor, `${path}/embeds`, { action: 'renew', id })).status, 303);
    assert.equal((await send(visitor, `${path}/embeds`, { action: 'revoke', id })).status, 303);
    assert.equal((await shared.service.get(new URL(url).pathname)).status, 404);
  });

  it('makes a link of a whole address of the composer, with private numbers', async () => {
    const visitor = await owner();
    const image = `${shared.service.url}/v1/github/entities/secret-keeper/contributions?card=streak&format=svg`;
    const { text, status } = await send(visitor, `${path}/embeds`, { action: 'make', path: image, format: 'svg' });
    assert.equal(status, 200, text);
    assert.match(text, /<strong dir="ltr">contributions\?card=streak&amp;format=svg&amp;private=true<\/strong>/);
    assert.match(text, /href="\/cards\?[^"]*name=secret-keeper/);
  });

  it('moves the focus to the result of a form, and keeps the entries of a refused one', async () => {
    const visitor = await owner();
    const wrong = await send(visitor, `${path}/embeds`, { action: 'make', path: '/v1/"other"', format: 'png' });
    assert.equal(wrong.status, 400);
    assert.match(
      wrong.text,
      /role="alert"[^>]* autofocus><strong lang="en"><bdi>Address of the card<\/bdi><\/strong> must be/,
    );
    assert.match(wrong.text, /name="path"[^>]* value="\/v1\/&quot;other&quot;"/);
    assert.match(wrong.text, /<option selected>png</);
    const key = await send(visitor, `${path}/access`, { action: 'add_key', key: '<no key>' });
    assert.match(key.text, /<strong lang="en"><bdi>Public key \(PEM\)<\/bdi><\/strong> must be a public key/);
    assert.match(key.text, /&lt;no key&gt;<\/textarea>/);
    const url = await send(visitor, `${path}/notifications`, { action: 'make_secret', url: 'ftp://hooks.example' });
    assert.match(url.text, /<strong lang="en"><bdi>Address<\/bdi><\/strong> must be a public address/);
    assert.match(url.text, /value="ftp:\/\/hooks.example"/);
    const german = await send(visitor, `${path}/notifications?lang=de`, { action: 'make_secret', url: '' });
    assert.match(german.text, /<strong lang="de"><bdi>Adresse<\/bdi><\/strong> must /);
    for (const section of ['embeds', 'access', 'notifications']) {
      assert.doesNotMatch((await visitor.get(`${path}/${section}`)).text, /autofocus|other&quot;|no key|ftp:/);
    }
    assert.match((await visitor.get(`${path}/privacy?done`)).text, /role="status"[^>]* autofocus>/);
  });

  it('issues and revokes tokens, and adds and removes keys', async () => {
    const visitor = await owner();
    const issued = await send(visitor, `${path}/access`, { action: 'issue_token' });
    const token = />(eyJ[\w.-]+)<\/textarea>/.exec(issued.text)?.[1] ?? assert.fail();
    const read = async () => (await shared.service.get(`${keeper.name}/settings`, bearer(token))).status;
    assert.equal(await read(), 200);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal((await send(visitor, `${path}/access`, { action: 'revoke_token', id: jti })).status, 303);
    assert.equal(await read(), 401);
    const { publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    assert.equal((await send(visitor, `${path}/access`, { action: 'add_key', key })).status, 303);
    assert.equal((await send(visitor, `${path}/access`, { action: 'add_key', key: 'none' })).status, 400);
    const { text } = await visitor.get(`${path}/access`);
    const id = /name="id" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? assert.fail();
    assert.equal((await send(visitor, `${path}/access`, { action: 'remove_key', id })).status, 303);
    assert.ok(!(await visitor.get(`${path}/access`)).text.includes(id));
  });

  it('names the nearest repository where the one with boards is unknown, and keeps the entries', async () => {
    const visitor = await owner();
    const choose = (name: string) =>
      send(visitor, `${path}/privacy`, { action: 'change', hidden: 'true', boards_repository: name });
    const label =
      'dir="ltr" tabindex="-1" autofocus><strong lang="en"><bdi>Repository with the file of boards</bdi></strong> ';
    const unknown = await choose('secret-keeper/dairy');
    assert.equal(unknown.status, 400);
    assert.ok(unknown.text.includes(`${label}is not the name of a repository of this account`), unknown.text);
    assert.match(unknown.text, /Did you mean diary\?/);
    assert.match(unknown.text, /name="boards_repository" value="secret-keeper\/dairy"/);
    assert.match(unknown.text, /name="hidden"[^>]* checked/);
    assert.match((await choose('something-else')).text, /Enter its name without the owner, or leave the field empty/);
    assert.match((await choose('Diary')).text, /Install it on diary first/);
    assert.equal((await shared.service.get(keeper.name)).status, 200, 'nothing was saved');
    const { pool } = shared.service.database;
    await pool.query("update repositories set installed_at = now() where name = 'diary'");
    const change = { action: 'change', boards_repository: 'Diary' };
    assert.equal((await send(visitor, `${path}/privacy`, change)).status, 303);
    await pool.query("update repositories set installed_at = null where name = 'diary'");
    assert.equal((await send(visitor, `${path}/privacy`, change)).status, 303, 'the stored name stays valid');
    await send(visitor, `${path}/privacy`, { action: 'change', boards_repository: '' });
  });

  it('reports a token that the account does not have, and keeps its id in the form', async () => {
    const visitor = await owner();
    const others = String(decode(await serviceToken(shared.service, shared.simulator, ada)).payload['jti']);
    for (const id of ['no-such-token', others, '\0']) {
      const response = await send(visitor, `${path}/access`, { action: 'revoke_token', id });
      assert.equal(response.status, 404, id);
      assert.match(response.text, /role="alert"[^>]*>The account has no token with this id\./);
      if (id === others) assert.ok(response.text.includes(`name="id" value="${id}"`));
    }
    assert.ok(!(await visitor.get(`${path}/audit`)).text.includes('no-such-token'));
  });

  it('makes and removes webhook secrets, and shows messages and the state of the data', async () => {
    const visitor = await owner();
    const url = 'https://hooks.example/awards';
    const response = await send(visitor, `${path}/notifications`, { action: 'make_secret', url });
    assert.match(response.text, /whsec_/);
    const { text } = await visitor.get(`${path}/notifications`);
    assert.ok(text.includes(url) && !text.includes('whsec_'));
    const id = /name="id" value="([\w-]+)"/.exec(text)?.[1] ?? assert.fail();
    assert.equal((await send(visitor, `${path}/notifications`, { action: 'remove_secret', id })).status, 303);
    const { rows } = await shared.service.database.pool.query<{ repository_id: string }>(
      `select s.repository_id from streams s join repositories r on r.id = s.repository_id
       join accounts a on a.id = r.owner_id where lower(a.name) = lower($1) and s.name = 'issues' limit 1`,
      [path.split('/').at(-1)],
    );
    const failure = {
      code: 'provider_denied',
      reason: 'Forbidden',
      restart: false,
      failedAt: new Date('2026-03-01T12:00:00Z'),
    };
    await failStream(shared.service.database.connection, rows[0]?.repository_id ?? assert.fail(), 'issues', failure);
    for (const section of ['', '/overview']) {
      const overview = await visitor.get(`${path}${section}`);
      assert.equal(overview.status, 200);
      assert.match(
        overview.text,
        /<small data-since>github has not given a usable response since Mar 1, 2026, 12:00\sPM UTC/,
      );
    }
  });

  it('says for what reading waits, and until when', async () => {
    const { connection, pool } = shared.service.database;
    const { account } = (await findByName(connection, 'github', engines.name)) ?? assert.fail();
    await pool.query(
      `update streams set completed_at = null
       where repository_id in (select id from repositories where name = 'engine-1' and owner_id = $1)`,
      [account.id],
    );
    const until = new Date(Date.now() + 1_800_000);
    await inTransaction(connection, (transaction) =>
      delayLookup(transaction, collectJob(account.id), until, new Date()),
    );
    const visitor = await administrator();
    const { text } = await visitor.get(`/settings/github/${engines.name}/overview`);
    assert.match(
      text,
      /<p class="note" role="status">github permits no more requests for now\. The service goes on at: /,
    );
    await failLookup(
      connection,
      collectJob(account.id).key,
      { state: 'failed', error: new AppError('provider_unavailable', 'No.'), failedAt: until },
      until,
    );
    await pool.query('update accounts set listed_at = null where id = $1', [account.id]);
    const failing = await visitor.get(`/settings/github/${engines.name}/overview`);
    assert.match(failing.text, /<p class="note" role="status">github has not given a usable response since /);
  });

  it('refuses a form without the token of the session, and unknown changes', async () => {
    const visitor = await owner();
    const others = formToken(await (await owner()).get(`${path}/privacy`));
    for (const token of ['', 'wrong', others]) {
      const fields = { form_token: token, action: 'change', hidden: 'true' };
      assert.equal((await visitor.post(`${path}/privacy`, fields)).status, 403);
    }
    for (const action of ['', 'constructor', 'revoke']) {
      assert.equal((await send(visitor, `${path}/privacy`, { action })).status, 400, action);
    }
    assert.equal((await shared.service.get(keeper.name)).status, 200);
    assert.equal((await visitor.get(`${path}/nothing`)).status, 400);
  });

  it('is closed to other people, in the same words whether the account exists or not', async () => {
    const visitor = await signIn(shared.service, shared.simulator, 'user');
    const [existing, absent] = [await visitor.get(path), await visitor.get('/settings/github/nobody-at-all')];
    assert.deepEqual([existing.status, absent.status], [403, 403]);
    assert.equal(existing.text.replaceAll(keeper.name, 'X'), absent.text.replaceAll('nobody-at-all', 'X'));
    const fields = { form_token: formToken(await visitor.get('/settings')), action: 'change', hidden: 'true' };
    assert.equal((await visitor.post(`${path}/privacy`, fields)).status, 403);
    assert.equal((await shared.service.get(keeper.name)).status, 200);
  });

  it('lets an administrator change an organization for an hour after the last confirmation', async () => {
    const visitor = await administrator();
    const section = `/settings/github/${engines.name}/privacy`;
    const change = { action: 'change', publish_private_contributions: 'true', boards_repository: '' };
    assert.equal((await send(visitor, section, change)).status, 303);
    const { pool } = shared.service.database;
    const age = (time: string) =>
      pool.query(`update administrators set confirmed_at = confirmed_at - interval '${time}'`);
    await age('61 minutes');
    const { text } = await visitor.get(section);
    const confirm = /href="(\/sign-in\/github\?organization=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    assert.equal((await send(visitor, section, { ...change, hidden: 'true' })).status, 403);
    assert.equal((await shared.service.get(engines.name)).status, 200);
    shared.simulator.signIn.person = 'organization_admin';
    const back = await visitor.get(await atHost(await visitor.get(confirm ?? assert.fail())));
    assert.equal(back.headers.get('location'), section);
    assert.equal((await send(visitor, section, { action: 'change', boards_repository: '' })).status, 303);
    await age('9 hours');
    assert.equal((await visitor.get(section)).status, 403);
  });

  it('exports and erases everything, once the name confirms it', async () => {
    const visitor = await owner();
    const exported = await send(visitor, `${path}/data`, { action: 'export' });
    assert.match(exported.headers.get('content-disposition') ?? '', /filename="secret-keeper\.ndjson"/);
    assert.ok(
      exported.text.startsWith('{"type" : "account"') || exported.text.startsWith('{"type":"account"'),
      exported.text.slice(0, 40),
    );
    assert.equal((await send(visitor, `${path}/data`, { action: 'erase', name: 'another' })).status, 400);
    assert.equal((await shared.service.get(keeper.name)).status, 200);
    const erased = await send(visitor, `${path}/data`, { action: 'erase', name: keeper.name });
    assert.equal(erased.headers.get('location'), '/settings');
    assert.equal((await shared.service.get(keeper.name)).status, 404);
    assert.equal((await visitor.get('/settings')).status, 303);
  });
});
