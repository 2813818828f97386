import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostKinds } from '../../../src/hosts/config/host-settings.ts';
import { readSearch } from '../../../src/views/pages/search/read-search.ts';

const urls: Readonly<Record<string, string>> = {
  github: 'https://github.com',
  gitlab: 'https://git.example.org/gitlab',
  gitea: 'http://localhost:3000',
};
const hosts = {
  providers: Object.keys(urls),
  profileUrl: (provider: string, name: string) => `${urls[provider]}/${name}`,
  findKind: (provider: string) => hostKinds.find((kind) => kind === provider),
};

/** Returns the path that a search means, at the host that is chosen or that its address names. */
function read(text: string, chosen = 'github'): string {
  const searched = readSearch(hosts, text, chosen);
  if (searched === undefined || searched === 'unknown-host') return String(searched);
  const { provider, name, repository } = searched;
  return [provider, name, ...(repository === undefined ? [] : [repository])].join(' ');
}

describe('reading of a search', () => {
  it('takes names, with an at sign too, and owners with a repository', () => {
    for (const text of ['ada', ' @ada ', 'ada/', '/ada']) assert.equal(read(text), 'github ada', text);
    for (const text of ['acme/tools', '@acme/tools', 'acme / tools'])
      assert.equal(read(text), 'github acme tools', text);
    assert.equal(read('acme.inc/tools', 'gitea'), 'gitea acme.inc tools');
    assert.equal(read('group/below/tools', 'gitlab'), 'gitlab group/below tools');
    for (const text of ['', ' ', '@', '/']) assert.equal(read(text), 'undefined', text);
  });

  it('takes addresses of accounts, also of organizations and groups', () => {
    for (const text of [
      'https://github.com/ada',
      'http://www.github.com/ada/',
      'github.com/ada',
      'GitHub.com/ada?tab=repositories',
      'https://github.com/orgs/ada/people',
      'https://github.com/sponsors/ada',
    ]) {
      assert.equal(read(text, 'gitlab'), 'github ada', text);
    }
    assert.equal(read('https://git.example.org/gitlab/groups/group/below/-/issues'), 'gitlab group/below');
    assert.equal(read('localhost:3000/org/acme/teams'), 'gitea acme');
  });

  it('takes addresses of repositories, of pages below them and of remotes for git', () => {
    for (const text of [
      'https://github.com/acme/tools',
      'github.com/acme/tools.git',
      'https://github.com/acme/tools/pull/7#discussion_r1',
      'git@github.com:acme/tools.git',
      'ssh://git@github.com:22/acme/tools.git',
      'git+ssh://git@github.com/acme/tools.git',
    ]) {
      assert.equal(read(text, 'gitea'), 'github acme tools', text);
    }
    assert.equal(
      read('https://git.example.org/gitlab/group/below/tools/-/merge_requests/1'),
      'gitlab group/below tools',
    );
    assert.equal(read('git@git.example.org:group/below/tools.git'), 'gitlab group/below tools');
    assert.equal(read('git@localhost:acme/tools.git'), 'gitea acme tools');
    assert.equal(read('http://localhost:3000/acme/tools/issues'), 'gitea acme tools');
  });

  it('takes no address of another host for an account here', () => {
    for (const text of ['https://evil.example/x', 'git@evil.example:a/b.git', 'javascript://x/y']) {
      assert.equal(read(text), 'unknown-host', text);
    }
    assert.equal(read('https://github.com/'), 'undefined');
  });
});
