import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../../simulators/git/http-server.ts';
import type { KnownRepository } from '../../../../src/providers/provider.ts';
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
    assert.deepEqual(gitea.requests, [], 'no request is sent about co-authors to a host that shows none');
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
});
