import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startHttpServer } from '../../../simulators/git/http-server.ts';
import { startGiteaSimulator } from '../../../simulators/gitea/simulator.ts';
import { startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import { readConfig } from '../../../src/app/config/config.ts';
import { configuredHosts } from '../../../src/app/doctor/describe-hosts.ts';
import { createContractWorld } from '../../contract/world.ts';
import { appSettings, organization } from '../../e2e/installations/installed.ts';
import {
  type DoctorFixture,
  examine,
  listLines,
  openDoctorFixture,
  problems,
} from '../../integration/doctor/examine.ts';
import { storeRepository } from '../../integration/doctor/store-faults.ts';

describe('plaudit doctor on hosts and credentials', () => {
  let fixture: DoctorFixture;
  before(async () => {
    fixture = await openDoctorFixture();
  });
  after(() => fixture?.[Symbol.asyncDispose]());

  it('reports the owner, the visible data and the remaining quota of each token, and never the token', async () => {
    const { public_only, user } = fixture.simulator.tokens;
    const examined = await examine({ ...fixture.environment, GITHUB_TOKEN: `${public_only},${user}` });
    assert.deepEqual(problems(examined), []);
    const [first, second] = listLines(examined, 'credential_accepted');
    assert.match(
      first ?? '',
      /^fine github: token 1 of 2 \(ends with 6789\): It is accepted; belongs to ada-lovelace; sees only public data; graphql: 5000 of 5000 points left; core: \d+ of 5000 requests left\.$/,
    );
    assert.match(second ?? '', /also sees private data/);
    assert.match(listLines(examined, 'host_reachable')[0] ?? '', /responds in \d+ ms/);
    for (const secret of [public_only, user, 'a secret for deliveries']) assert.ok(!examined.text.includes(secret));
  });

  it('reports a credential that is refused, with the setting to change', async () => {
    const examined = await examine({ ...fixture.environment, GITHUB_TOKEN: 'ghp_this_was_revoked_long_ago' });
    assert.deepEqual(problems(examined), ['credential_refused']);
    assert.equal(examined.status, 1);
    assert.deepEqual(listLines(examined, 'credential_refused'), [
      'problem github: the token (ends with _ago): The token is not accepted. Create a new one and set GITHUB_TOKEN.',
    ]);
    assert.ok(!examined.text.includes('ghp_this_was_revoked'));
  });

  it('names the target of a redirect, without user, query and fragment', async () => {
    const location = 'https://user:pass@sso.example/login?state=secret-state#secret-fragment';
    await using moved = await startHttpServer((request, response) => {
      request.resume().on('end', () => response.writeHead(302, { location }).end());
    });
    const examined = await examine({
      ...fixture.environment,
      GITHUB_API_URL: moved.url,
      GITHUB_TOKEN: 'ghp_of_somewhere_else_entirely',
      GITEA_URL: moved.url,
      GITLAB_URL: moved.url,
      GITLAB_TOKEN: 'glpat_of_somewhere_else',
    });
    assert.deepEqual(problems(examined), ['host_unreachable', 'host_unreachable', 'host_unreachable']);
    for (const line of listLines(examined, 'host_unreachable')) {
      assert.match(line, / redirects to https:\/\/sso\.example\/login\. Check the address/);
    }
    assert.doesNotMatch(examined.text, /secret-|pass@/);
  });

  it('reports a host that cannot be reached, and goes on with the others', async () => {
    const { world } = createContractWorld();
    await using gitea = await startGiteaSimulator({ world });
    const examined = await examine({
      ...fixture.environment,
      GITHUB_API_URL: 'http://127.0.0.1:9',
      GITEA_URL: gitea.url,
      GITEA_TOKEN: gitea.tokens.user,
      GITEA_WEBHOOK_SECRET: 'a secret for deliveries',
    });
    assert.deepEqual(problems(examined), ['host_unreachable']);
    assert.match(
      listLines(examined, 'host_unreachable')[0] ?? '',
      /^problem github: http:\/\/127\.0\.0\.1:9 refuses connections\. Check the address/,
    );
    assert.match(listLines(examined, 'host_reachable')[0] ?? '', /^fine gitea: .* \(version 1\.21/);
  });

  it('names configured hosts alone, and the default one where none is configured', async () => {
    const { world } = createContractWorld();
    await using gitea = await startGiteaSimulator({ world });
    const own = Object.entries(fixture.environment).filter(([name]) => !name.startsWith('GITHUB_'));
    const hosts = { GITEA_URL: gitea.url, GITEA_TOKEN: gitea.tokens.user };
    const examined = await examine({ ...Object.fromEntries(own), ...hosts });
    assert.doesNotMatch(examined.text, /github/i);
    assert.equal(listLines(examined, 'host_reachable').length, 1);
    const names = configuredHosts(readConfig({}, () => '')).map(({ name }) => name);
    assert.deepEqual(names, ['github']);
  });

  it('gives a hint where a host has no webhook secret', async () => {
    const { world } = createContractWorld();
    await using gitea = await startGiteaSimulator({ world });
    const settings = { GITEA_URL: gitea.url, GITEA_TOKEN: gitea.tokens.user };
    const examined = await examine({ ...fixture.environment, ...settings });
    assert.deepEqual(listLines(examined, 'webhook_secret_missing'), [
      'hint gitea: No webhook secret is set, so that changes are found by polling alone, up to a day later. Set GITEA_WEBHOOK_SECRET, and add a webhook with it at the host.',
    ]);
  });

  it('reports the scopes that a token lacks', async () => {
    const { world } = createContractWorld();
    await using gitea = await startGiteaSimulator({ world });
    await using gitlab = await startGitLabSimulator({ world });
    gitea.scopes.set('user', ['read:user']);
    gitlab.narrowTokens.add('user');
    const examined = await examine({
      ...fixture.environment,
      GITEA_URL: gitea.url,
      GITEA_TOKEN: gitea.tokens.user,
      GITLAB_URL: gitlab.url,
      GITLAB_TOKEN: gitlab.tokens.user,
    });
    assert.deepEqual(problems(examined), ['credential_lacks_permission', 'credential_lacks_permission']);
    const lines = listLines(examined, 'credential_lacks_permission').join('\n');
    assert.match(
      lines,
      /problem gitea: .*: It lacks read:repository, read:issue and read:organization, needed for repositories and commits, issues, pull requests and comments and organizations\. Create a token that has it, and set GITEA_TOKEN\./,
    );
    assert.match(lines, /problem gitlab: .*: It lacks read_api, needed for everything but names\./);
    assert.match(lines, /hint gitlab: .*: It lacks read_repository, needed for commits of private projects\./);
  });

  it('reports a quota that is used up, and one that is nearly used up', async () => {
    const { limits, tokens } = fixture.simulator;
    limits.allowance('public_only', 'graphql').used += 4600;
    const low = await examine(fixture.environment);
    assert.deepEqual(problems(low), []);
    assert.match(
      listLines(low, 'quota_low')[0] ?? '',
      /^hint github: .*: 400 of 5000 points are left \(graphql\); new names wait until .* UTC\./,
    );
    limits.allowance('public_only', 'graphql').used = 5000;
    const used = await examine({ ...fixture.environment, GITHUB_TOKEN: tokens.public_only });
    assert.deepEqual(problems(used), ['quota_used_up']);
    assert.match(
      listLines(used, 'quota_used_up')[0] ?? '',
      /^problem github: .*: The quota is used up until .* UTC \(graphql, 5000 points\)\. Wait, or set another token\./,
    );
    limits.reset();
  });

  it('checks the App and the stored installations, and names the accounts of the installations', async () => {
    const { simulator, database, environment } = fixture;
    const installation = simulator.app.install(organization(simulator));
    const account = organization(simulator);
    await database.connection
      .insertInto('installations')
      .values({
        provider: 'github',
        id: String(installation.id),
        source: 'app',
        account_external_id: String(account.id),
        account_name: account.login,
        credential_name: `installation:${installation.id}`,
        covers: 'all',
        missing_permissions: [],
        suspended_at: null,
        removed_at: null,
        seen_at: new Date(),
        covered_at: null,
        created_at: new Date(),
      })
      .execute();
    const credentialName = `installation:${installation.id}`;
    await storeRepository(database.connection, { name: 'hidden', isPrivate: true, credentialName });
    const settings = { ...environment, ...appSettings(simulator), GITHUB_TOKEN: '' };
    const examined = await examine(settings);
    assert.deepEqual(problems(examined), []);
    const lines = listLines(examined, 'credential_accepted').join('\n');
    assert.match(lines, /fine github: the GitHub App: It is accepted; belongs to plaudit-simulated, owned by /);
    assert.match(
      lines,
      new RegExp(`installation ${installation.id} on analytical-engines: .*shows 1 stored private repository; graphql`),
    );
    simulator.app.isDeleted = true;
    const deleted = await examine(settings);
    assert.deepEqual(problems(deleted), ['credential_refused', 'credential_refused']);
    assert.match(listLines(deleted, 'credential_refused').join('\n'), /GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY/);
    simulator.app.isDeleted = false;
    assert.ok(!deleted.text.includes('PRIVATE KEY-----'));
  });
});
