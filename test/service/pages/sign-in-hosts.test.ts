import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../simulators/git/http-server.ts';
import { startGiteaSimulator } from '../../../simulators/gitea/simulator.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import { generateWorld } from '../../../simulators/world/generate.ts';
import { engines } from '../../integration/access/owner.ts';
import { startStoredService } from '../http/stored-service.ts';
import { atHost, Visitor } from './signed-in.ts';

/** Returns the settings with which a service is registered as the same client at several hosts. */
function registrations(hosts: readonly string[], { id, secret }: { id: string; secret: string }) {
  return Object.fromEntries(
    hosts.flatMap((host) => [
      [`${host}_OAUTH_CLIENT_ID`, id],
      [`${host}_OAUTH_CLIENT_SECRET`, secret],
    ]),
  );
}

describe('sign-in with other hosts', () => {
  it('works with GitLab, by OpenID Connect, and with Gitea', async () => {
    const world = await generateWorld({ seed: 1, size: 'small', now: () => new Date(), repositories: 1 });
    await using gitlab = await startGitLabSimulator({ world });
    await using gitea = await startGiteaSimulator({ world });
    const { id, secret } = gitlab.signIn.client;
    await using service = await startStoredService({
      settings: {
        GITLAB_URL: gitlab.url,
        GITEA_URL: gitea.url,
        ...registrations(['GITLAB', 'GITEA'], { id, secret }),
      },
    });
    for (const host of ['gitlab', 'gitea']) {
      const visitor = new Visitor(service);
      const toHost = await visitor.get(`/sign-in/${host}?organization=${engines.name}`);
      const { searchParams } = new URL(toHost.headers.get('location') ?? '');
      assert.equal(searchParams.has('nonce'), host === 'gitlab');
      const { signIn: server } = host === 'gitlab' ? gitlab : gitea;
      server.person = 'organization_admin';
      const back = await visitor.get(await atHost(toHost));
      assert.equal(back.headers.get('location'), '/settings', back.text);
      const { text } = await visitor.get('/settings');
      assert.ok(text.includes(`href="/settings/${host}/${engines.name}"`), host);
    }
    // Gitea's issuer is its ROOT_URL, with a slash at its end in some versions, in case it begins to send one.
    const withSlash = new Visitor(service);
    gitea.signIn.issuer = `${gitea.url}/`;
    assert.equal((await withSlash.get(await atHost(await withSlash.get('/sign-in/gitea')))).status, 303);
    gitea.signIn.issuer = undefined;
    // The ID token of another sign-in has another nonce.
    const visitor = new Visitor(service);
    const toHost = await visitor.get('/sign-in/gitlab');
    const address = new URL(toHost.headers.get('location') ?? '');
    address.searchParams.set('nonce', 'another');
    const response = await fetch(address, { redirect: 'manual' });
    const { pathname, search } = new URL(response.headers.get('location') ?? '');
    assert.equal((await visitor.get(`${pathname}${search}`)).status, 400);
  });

  it('names a wrong client secret as what the operator has to correct, with each host', async () => {
    const world = await generateWorld({ seed: 1, size: 'small', now: () => new Date(), repositories: 1 });
    await using gitlab = await startGitLabSimulator({ world });
    await using gitea = await startGiteaSimulator({ world });
    await using github = await startSimulator({ world });
    const { id } = gitlab.signIn.client;
    const secret = 'another-secret-0123456789';
    await using service = await startStoredService({
      simulator: github,
      settings: {
        GITLAB_URL: gitlab.url,
        GITEA_URL: gitea.url,
        ...registrations(['GITHUB', 'GITLAB', 'GITEA'], { id, secret }),
      },
    });
    for (const [host, code] of [
      ['github', 'incorrect_client_credentials'],
      ['gitlab', 'invalid_client'],
      ['gitea', 'unauthorized_client'],
    ] as const) {
      const visitor = new Visitor(service);
      const back = await visitor.get(await atHost(await visitor.get(`/sign-in/${host}`)));
      assert.equal(back.status, 403, host);
      assert.ok(back.text.includes(`registration of this service at the code host (${code})`), back.text);
      assert.ok(!service.lines.some((line) => line.includes(secret)));
      assert.ok(
        service.lines.some((line) => line.includes(code)),
        host,
      );
    }
  });

  it('writes the target of a redirect to the log, without user, query and fragment', async () => {
    const location = 'https://user:pass@sso.example/login?state=secret-state#secret-fragment';
    await using moved = await startHttpServer((request, response) => {
      request.resume().on('end', () => response.writeHead(302, { location }).end());
    });
    await using service = await startStoredService({
      settings: { GITEA_URL: moved.url, ...registrations(['GITEA'], { id: 'a', secret: 'a-secret-of-the-client' }) },
    });
    const visitor = new Visitor(service);
    const toHost = new URL((await visitor.get('/sign-in/gitea')).headers.get('location') ?? '');
    const state = encodeURIComponent(toHost.searchParams.get('state') ?? '');
    const back = await visitor.get(`/sign-in/gitea/callback?code=abc&state=${state}`);
    assert.equal(back.status, 503, back.text);
    assert.doesNotMatch(back.text, /sso\.example/);
    assert.ok(service.lines.some((line) => line.includes('redirects to https://sso.example/login"')));
    assert.ok(!service.lines.some((line) => /secret-|pass@/.test(line)));
  });
});
