import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { deleteExpired } from '../../../src/accounts/access/sessions/store.ts';
import { ada, engines, keeper } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { shareStoredService, startStoredService } from '../http/stored-service.ts';
import { atHost, formToken, signIn, signInSettings, Visitor } from './signed-in.ts';

describe('sign-in', () => {
  const shared = shareStoredService({ service: { settings: { ...signInSettings, TRUST_PROXY: 'loopback' } } });
  const expire = (table: 'sessions' | 'sign_ins', after: string) =>
    shared.service.database.pool.query(`update ${table} set expires_at = expires_at - interval '${after}'`);
  const stored = async (table: 'sessions' | 'sign_ins'): Promise<number> => {
    const { rows } = await shared.service.database.pool.query<{ count: number }>(`select count(*)::int from ${table}`);
    return rows[0]?.count ?? -1;
  };

  it('leads to the host with PKCE and a state, and back to the page of this service that was wanted', async () => {
    const visitor = new Visitor(shared.service);
    const requestedPage = await visitor.get('/settings/github/ada-lovelace/privacy');
    assert.equal(
      requestedPage.headers.get('location'),
      '/sign-in?return_to=%2Fsettings%2Fgithub%2Fada-lovelace%2Fprivacy',
    );
    const { text } = await visitor.get(requestedPage.headers.get('location') ?? '');
    const link = /href="(\/sign-in\/github\?[^"]+)"/.exec(text)?.[1] ?? '';
    const toHost = await visitor.get(link);
    const address = new URL(toHost.headers.get('location') ?? '');
    assert.equal(`${address.origin}${address.pathname}`, `${shared.simulator.url}/login/oauth/authorize`);
    assert.equal(address.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(address.searchParams.get('redirect_uri'), `${shared.service.url}/sign-in/github/callback`);
    const back = await visitor.get(await atHost(toHost));
    assert.equal(back.headers.get('location'), '/settings/github/ada-lovelace/privacy');
    assert.match(
      back.headers.getSetCookie().join('\n'),
      /session=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax/,
    );
    const page = await visitor.get('/settings');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.ok(page.text.includes(`github/${ada.name}`));
    const { rows } = await shared.service.database.pool.query(
      `select from audit_entries where action = 'signed_in' and actor = $1`,
      [`github/${ada.name}`],
    );
    assert.ok(rows.length > 0);
  });

  it('returns to no other site', async () => {
    for (const foreign of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
      'settings',
      '/./\\evil.example',
      '/..//evil.example',
    ]) {
      const visitor = new Visitor(shared.service);
      const query = new URLSearchParams({ return_to: foreign }).toString();
      const back = await visitor.get(await atHost(await visitor.get(`/sign-in/github?${query}`)));
      assert.equal(back.headers.get('location'), '/settings', foreign);
    }
  });

  it('refuses a response with another state, of another browser or issuer, with an error, twice, or too late', async () => {
    const begin = async (): Promise<[Visitor, string]> => {
      const visitor = new Visitor(shared.service);
      return [visitor, await atHost(await visitor.get('/sign-in/github'))];
    };
    const before = await stored('sessions');
    const [visitor, returnPath] = await begin();
    assert.equal((await visitor.get(returnPath.replace(/state=[^&]*/, 'state=another'))).status, 400);
    assert.equal((await visitor.get(returnPath)).status, 400, 'a sign-in counts once');
    const [, ofAnother] = await begin();
    assert.equal((await new Visitor(shared.service).get(ofAnother)).status, 400);
    const [third, ofThird] = await begin();
    const withIssuer = ofThird.replace(/iss=[^&]*/, `iss=${encodeURIComponent('https://evil.example')}`);
    assert.notEqual(withIssuer, ofThird);
    assert.equal((await third.get(withIssuer)).status, 400);
    const [refused, ofRefused] = await begin();
    assert.equal((await refused.get(ofRefused.replace(/code=[^&]*/, 'error=access_denied'))).status, 403);
    const [late, ofLate] = await begin();
    await expire('sign_ins', '10 minutes');
    assert.equal((await late.get(ofLate)).status, 400);
    assert.equal(await stored('sessions'), before);
  });

  it('refuses a code that was used before', async () => {
    const [first, second] = [new Visitor(shared.service), new Visitor(shared.service)];
    const back = await atHost(await first.get('/sign-in/github'));
    assert.equal((await first.get(back)).status, 303);
    const secondReturnPath = await atHost(await second.get('/sign-in/github'));
    const code = /code=[^&]*/.exec(back)?.[0] ?? '';
    const replayed = await second.get(secondReturnPath.replace(/code=[^&]*/, code));
    assert.equal(replayed.status, 403);
    assert.match(replayed.text, /did not accept this sign-in/);
    assert.ok(!second.cookies.has('session'));
  });

  it('names the cause where the host refuses the person, or the registration of this service', async () => {
    const { simulator, service } = shared;
    for (const [refusal, status, text] of [
      ['access_denied', 403, /not permitted at the code host/],
      ['application_suspended', 403, /registration of this service at the code host \(application_suspended\)/],
      ['redirect_uri_mismatch', 403, /\(redirect_uri_mismatch\)/],
      ['server_error', 503, /Not available just now/],
      ['temporarily_unavailable', 503, /Not available just now/],
      ['<b>', 403, /not permitted at the code host/],
    ] as const) {
      simulator.signIn.refusal = refusal;
      const visitor = new Visitor(service);
      const back = await visitor.get(await atHost(await visitor.get('/sign-in/github')));
      simulator.signIn.refusal = undefined;
      assert.equal(back.status, status, refusal);
      assert.match(back.text, text);
    }
    assert.ok(
      service.lines.some((line) => line.includes('application_suspended')),
      'the operator reads it in the log',
    );
  });

  it('begins for a browser that comes from the installation of the App, whose code no one requested', async () => {
    // GitHub sends no state where the App requests authorization during its installation.
    // https://docs.github.com/apps/creating-github-apps/registering-a-github-app/registering-a-github-app
    const visitor = new Visitor(shared.service);
    const begun = await atHost(await visitor.get('/sign-in/github?return_to=/gallery'));
    const response = await visitor.get('/sign-in/github/callback?code=abc&installation_id=1&setup_action=install');
    assert.deepEqual([response.status, response.headers.get('location')], [303, '/sign-in/github']);
    const back = await visitor.get(begun);
    assert.equal(back.headers.get('location'), '/gallery', 'a sign-in that was begun before goes on');
  });

  it('accepts the issuer of GitHub.com from an instance, whose own is not documented', async () => {
    const { simulator, service } = shared;
    const own = simulator.signIn.issuer;
    simulator.signIn.issuer = 'https://github.com/login/oauth';
    const visitor = new Visitor(service);
    const back = await visitor.get(await atHost(await visitor.get('/sign-in/github')));
    simulator.signIn.issuer = own;
    assert.equal(back.status, 303, back.text);
  });

  it('ends after 8 hours, by signing out, and everywhere; ended sessions are deleted', async () => {
    const [firstBrowser, secondBrowser] = [
      await signIn(shared.service, shared.simulator, 'private_owner'),
      await signIn(shared.service, shared.simulator, 'private_owner'),
    ];
    const isIn = async (visitor: Visitor): Promise<boolean> => (await visitor.get('/settings')).status === 200;
    assert.deepEqual([await isIn(firstBrowser), await isIn(secondBrowser)], [true, true]);
    const token = formToken(await firstBrowser.get('/settings'));
    assert.equal((await firstBrowser.post('/sign-out', { form_token: 'wrong' })).status, 403);
    assert.equal((await firstBrowser.post('/sign-out', {})).status, 403);
    assert.equal(
      (await firstBrowser.post('/sign-out', { form_token: formToken(await secondBrowser.get('/settings')) })).status,
      403,
    );
    const cookies = new Map(firstBrowser.cookies);
    assert.equal((await firstBrowser.post('/sign-out', { form_token: token })).status, 303);
    for (const [name, value] of cookies) firstBrowser.cookies.set(name, value);
    assert.deepEqual([await isIn(firstBrowser), await isIn(secondBrowser)], [false, true]);
    const third = await signIn(shared.service, shared.simulator, 'private_owner');
    await third.post('/sign-out', { form_token: formToken(await third.get('/settings')), everywhere: '1' });
    assert.equal(await isIn(secondBrowser), false);
    const fourth = await signIn(shared.service, shared.simulator, 'private_owner');
    await expire('sessions', '7 hours 59 minutes');
    assert.equal(await isIn(fourth), true);
    await expire('sessions', '1 minute');
    assert.equal(await isIn(fourth), false);
    await expire('sign_ins', '10 minutes');
    for (const table of ['sessions', 'sign_ins'] as const) {
      await until(async () => {
        // The job of the service that does this may be deleting some of them, which are left out here.
        await deleteExpired(shared.service.database.connection, table, new Date(), 1000);
        return (await stored(table)) === 0 ? true : undefined;
      }, `all expired ${table} are deleted`);
    }
  });

  it('changes nothing at the API, which ignores the cookie', async () => {
    const visitor = await signIn(shared.service, shared.simulator, 'private_owner');
    const path = `/v1/github/entities/${keeper.name}/settings`;
    assert.equal((await visitor.get(path)).status, 401);
    const publicPath = `/v1/github/entities/${keeper.name}/contributions`;
    const [own, others] = [await visitor.get(publicPath), await shared.service.get(publicPath)];
    assert.equal(own.text, others.text);
    assert.equal(own.headers.get('set-cookie'), null);
  });

  it('proves the administration of an organization that the person names, and of no other', async () => {
    const list = async (person: TokenName, organization: string): Promise<[string | null, string]> => {
      const visitor = new Visitor(shared.service);
      shared.simulator.signIn.person = person;
      const back = await visitor.get(
        await atHost(await visitor.get(`/sign-in/github?organization=${organization}&return_to=/gallery`)),
      );
      return [back.headers.get('location'), (await visitor.get('/settings')).text];
    };
    const path = `href="/settings/github/${engines.name}"`;
    const [ofAdmin, adminsPage] = await list('organization_admin', engines.name);
    assert.equal(ofAdmin, '/gallery');
    assert.ok(adminsPage.includes(path));
    for (const organization of [engines.name, 'nobody-at-all', keeper.name]) {
      const [ofMember, membersPage] = await list('organization_member', organization);
      assert.equal(ofMember, `/settings?refused=${organization}`);
      assert.ok(!membersPage.includes(path));
    }
  });

  it('keeps tokens, codes and secrets out of the log and the database', async () => {
    const { service, simulator } = shared;
    const visitor = new Visitor(service);
    const back = await atHost(await visitor.get('/sign-in/github'));
    const state = visitor.cookies.get('sign-in') ?? assert.fail();
    await visitor.get(back);
    const session = visitor.cookies.get('session') ?? assert.fail();
    const code = /code=([^&]*)/.exec(back)?.[1] ?? assert.fail();
    const secrets = [session, state, code, simulator.tokens.user, simulator.signIn.client.secret];
    const { rows: tables } = await service.database.pool.query<{ name: string }>(
      `select quote_ident(table_name) as name from information_schema.tables
       where table_schema = current_schema() and table_type = 'BASE TABLE'`,
    );
    for (const secret of secrets) {
      assert.ok(!service.lines.some((line) => line.includes(secret)));
      for (const { name } of tables) {
        const { rows } = await service.database.pool.query(
          `select from ${name} t where strpos(to_jsonb(t)::text, $1) > 0 limit 1`,
          [secret],
        );
        assert.equal(rows.length, 0, name);
      }
    }
  });

  it('is not there without a registration, and everything else works', async () => {
    const { simulator } = shared;
    await using service = await startStoredService({ simulator });
    const visitor = new Visitor(service);
    assert.equal((await visitor.get('/sign-in/github')).status, 404);
    const { text } = await visitor.get('/sign-in');
    assert.ok(!text.includes('/sign-in/github'));
    assert.ok(!text.includes('href="/settings"'));
    assert.equal((await visitor.get('/cards')).status, 200);
  });
});
