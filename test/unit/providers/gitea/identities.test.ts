import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../../simulators/git/http-server.ts';
import type { KnownRepository } from '../../../../src/hosts/interface/provider.ts';
import { newCall } from '../../../contract/host.ts';
import { giteaProvider } from '../../../integration/providers/gitea/gitea-provider.ts';

interface RecordedCommit {
  sha: string;
  commit: { author: { email: string } };
  author: object | null;
}

const { body: commits } = JSON.parse(
  readFileSync(new URL('../../../../simulators/gitea/recorded/commits-coauth2.json', import.meta.url), 'utf8'),
) as { body: RecordedCommit[] };
const first = commits.at(-1)?.sha ?? '';
const newest = commits[0]?.sha ?? '';
const repository: KnownRepository = {
  owner: 'acme',
  name: 'coauth2',
  handle: '1',
  defaultBranch: 'main',
  credentialName: null,
};

/** Serves the recorded commits as a given version of Gitea does. */
async function startGitea(options: { absent: 404 | 500; commits?: RecordedCommit[] }) {
  const { absent, commits: servedCommits = commits } = options;
  const requests: string[] = [];
  const server = await startHttpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    requests.push(pathname);
    const sha = searchParams.get('sha') ?? pathname.split('/').at(-1);
    const at = servedCommits.findIndex((commit) => commit.sha === sha);
    const isList = pathname.endsWith('/commits');
    const isShown = at >= 0 && pathname.startsWith('/api/v1/repos/acme/coauth2/');
    response.writeHead(isShown ? 200 : isList ? absent : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isShown ? (isList ? servedCommits.slice(at) : servedCommits[at]) : { message: 'not there' }),
    );
  });
  return {
    url: server.url,
    apiUrl: `${server.url}/api/v1`,
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe('authors of commits at Gitea', () => {
  it('finds the account of an address by a commit that it authored, not by one that it co-authored', async () => {
    await using gitea = await startGitea({ absent: 404 });
    await using provider = giteaProvider(gitea);
    const resolve = (oid: string, isCoAuthor: boolean) =>
      provider.history.resolveIdentities(repository, [{ email: 'yan@forge.test', oid, isCoAuthor }], newCall());
    assert.equal((await resolve(newest, false)).get('yan@forge.test')?.name, 'yan');
    assert.ok(!(await resolve(first, false)).has('yan@forge.test'));
    gitea.requests.length = 0;
    assert.equal((await resolve(first, true)).size, 0);
    assert.deepEqual(gitea.requests, ['/api/v1/users/acme'], 'only the form of the addresses of the host is read');
  });

  it('settles an address as one without account by a commit that it authored', async () => {
    const unlinked = commits.map(({ sha, commit }) => ({ sha, commit, author: null, committer: null }));
    await using gitea = await startGitea({ absent: 404, commits: unlinked });
    await using provider = giteaProvider(gitea);
    const owners = await provider.history.resolveIdentities(
      repository,
      [{ email: 'yan@forge.test', oid: newest }],
      newCall(),
    );
    assert.equal(owners.get('yan@forge.test'), null);
  });

  for (const absent of [404, 500] as const) {
    it(`leaves an address unknown when the list of commits responds with ${absent} for a lost commit`, async () => {
      await using gitea = await startGitea({ absent });
      await using provider = giteaProvider(gitea);
      const identities = [
        { email: 'zoe@forge.test', oid: 'f'.repeat(40) },
        { email: 'yan@forge.test', oid: newest },
      ];
      const owners = await provider.history.resolveIdentities(repository, identities, newCall());
      assert.ok(!owners.has('zoe@forge.test'));
      assert.equal(owners.get('yan@forge.test')?.name, 'yan');
      const deletedRepository = { ...repository, name: 'deleted' };
      assert.equal((await provider.history.resolveIdentities(deletedRepository, identities, newCall())).size, 0);
    });
  }

  it('leaves addresses unknown in a repository that was emptied', async () => {
    await using server = await startHttpServer((_request, response) => {
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: 'Git Repository is empty.', url: '' }));
    });
    await using provider = giteaProvider({ url: server.url, apiUrl: `${server.url}/api/v1` });
    const identities = [{ email: 'yan@forge.test', oid: newest }];
    assert.equal((await provider.history.resolveIdentities(repository, identities, newCall())).size, 0);
  });

  it('rejects a lookup of addresses while the host is unavailable', async () => {
    await using server = await startHttpServer((_request, response) => {
      response.writeHead(503).end();
    });
    await using provider = giteaProvider({ url: server.url, apiUrl: `${server.url}/api/v1` });
    const identities = [{ email: 'yan@forge.test', oid: newest }];
    await assert.rejects(provider.history.resolveIdentities(repository, identities, newCall()), {
      code: 'provider_unavailable',
    });
  });

  /** Serves the profiles of an organization, `acme`, and of people as Gitea does to readers without a token. */
  async function startProfiles(addressOf: (person: { id: number; login: string }) => string) {
    const people = [
      { id: 5, login: 'acme' },
      { id: 7, login: 'Jane' },
      { id: 4242, login: 'bob' },
    ];
    const toProfile = (person: { id: number; login: string }) => ({
      ...person,
      email: addressOf({ ...person, login: person.login.toLowerCase() }),
      visibility: 'public',
    });
    const server = await startHttpServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const name = pathname.split('/').at(-1) ?? '';
      const byId = people.filter(({ id }) => String(id) === searchParams.get('uid')).map(toProfile);
      // Gitea redirects the former name of a person.
      const named = people.find(({ login }) => login.toLowerCase() === (name === 'former' ? 'jane' : name));
      const body = pathname.endsWith('/users/search')
        ? { data: byId }
        : pathname.startsWith('/api/v1/users/')
          ? named && toProfile(named)
          : pathname === '/api/v1/orgs/acme'
            ? { id: 5, name: 'acme' }
            : undefined;
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? { message: 'not there' }));
    });
    return {
      url: server.url,
      apiUrl: `${server.url}/api/v1`,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }

  async function findBearers(url: { url: string; apiUrl: string }, emails: readonly string[]) {
    await using provider = giteaProvider(url);
    const identities = emails.map((email) => ({ email, oid: first, isCoAuthor: true }));
    const owners = await provider.history.resolveIdentities(repository, identities, newCall());
    return emails.map((email) => owners.get(email)?.externalId ?? null);
  }

  it('finds a co-author by the address of the host, of any domain', async () => {
    for (const domain of ['blackhole.forge.example', 'noreply.forge.example', 'forge.example']) {
      await using gitea = await startProfiles(({ login }) => `${login}@${domain}`);
      const emails = [`jane@${domain}`, `former@${domain}`, `acme@${domain}`, `nobody@${domain}`];
      assert.deepEqual(await findBearers(gitea, emails), ['7', null, null, null], domain);
    }
  });

  it('credits no account by an address of another host, or by a number where the host gives none', async () => {
    await using gitea = await startProfiles(({ login }) => `${login}@noreply.forge.example`);
    const strange = [
      'jane@noreply.elsewhere.example',
      'jane@users.noreply.github.com',
      '7+jane@users.noreply.github.com',
      '4242+jane@noreply.forge.example',
      '7+jane@noreply.forge.example',
    ];
    assert.deepEqual(
      await findBearers(gitea, strange),
      strange.map(() => null),
    );
  });

  it('finds the account with the number in an address where the host gives numbers', async () => {
    await using gitea = await startProfiles(({ id, login }) => `${id}+${login}@noreply.forge.example`);
    const emails = ['7+jane@', '7+formerly@', '4242+jane@', 'jane@', '99+jane@'].map(
      (local) => `${local}noreply.forge.example`,
    );
    assert.deepEqual(await findBearers(gitea, emails), ['7', '7', '4242', '7', null]);
  });
});
