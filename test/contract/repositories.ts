import assert from 'node:assert/strict';
import { addPullRequest } from '../../simulators/world/activity.ts';
import { toLineCounts } from '../../simulators/world/line-counts.ts';
import { renameRepository, transferRepository } from '../../simulators/world/mutations.ts';
import type { KnownAccount, Provider } from '../../src/hosts/interface/provider.ts';
import { expectedContributions, withoutUnreported } from './expected.ts';
import { knownAccount, knownRepository, newCall, type Rule, ruleAboutParts } from './host.ts';

/** Rules about the repositories of accounts, and about the authors of the commits in them. */
export const repositoryRules: readonly Rule[] = [
  {
    title: 'lists repositories, private ones with the name of the credential that shows them',
    tokens: ['organization_member'],
    check: async (fixture, { unreportedOfRepositories: unreported }) => {
      const { provider, organization, repositories } = fixture;
      const owner = await knownAccount(provider, organization.login);
      const listed = await listAll(provider, owner);
      const names = listed.map(({ name, isPrivate, credentialName }) => ({
        name,
        isPrivate,
        isShownBySomething: credentialName !== null,
      }));
      assert.deepEqual(names, [
        { name: 'empty', isPrivate: false, isShownBySomething: false },
        { name: 'handbook', isPrivate: false, isShownBySomething: false },
        ...(provider.privateData === undefined
          ? []
          : [{ name: 'secret-plans', isPrivate: true, isShownBySomething: true }]),
      ]);
      const { handbook } = repositories;
      const [empty, found] = listed;
      assert.equal(found?.externalId, String(handbook.id));
      assert.equal(found?.description, unreported.includes('description') ? '' : 'How engines are kept');
      assert.equal(found?.language, unreported.includes('language') ? '' : 'TypeScript');
      assert.equal(found?.stars, 2);
      if (provider.history === undefined) return;
      assert.equal(found?.defaultBranch, 'main');
      assert.equal(empty?.defaultBranch, '');
    },
  },
  {
    title: 'finds a repository by its name, a private one on request only',
    tokens: ['organization_member'],
    check: async (fixture) => {
      const { provider, organization } = fixture;
      const owner = await knownAccount(provider, organization.login);
      const find = (name: string, withPrivate: boolean) =>
        provider.repositories.find(owner, name, { withPrivate }, newCall());
      assert.equal((await find('HANDBOOK', false))?.name, 'handbook');
      assert.equal(await find('secret-plans', false), null);
      const hidden = await find('secret-plans', true);
      assert.equal(hidden?.isPrivate, provider.privateData && true);
      assert.equal(await find('nothing', true), null);
    },
  },
  {
    title: 'finds a repository by its former name, unless it was transferred or is private and not requested',
    tokens: ['organization_member'],
    appliesTo: ({ privateData }, { keepsFormerNames }) => keepsFormerNames && privateData !== undefined,
    check: async ({ provider, organization, repositories, world, people }) => {
      const owner = await knownAccount(provider, organization.login);
      const find = async (name: string, withPrivate: boolean): Promise<string | undefined> =>
        (await provider.repositories.find(owner, name, { withPrivate }, newCall()))?.name;
      renameRepository(world, repositories.handbook, 'manual');
      renameRepository(world, repositories.plans, 'hidden-plans');
      assert.deepEqual([await find('handbook', false), await find('manual', false)], ['manual', 'manual']);
      assert.deepEqual(
        [await find('secret-plans', true), await find('secret-plans', false)],
        ['hidden-plans', undefined],
      );
      transferRepository(world, repositories.handbook, people.olive);
      assert.deepEqual([await find('handbook', true), await find('manual', true)], [undefined, undefined]);
    },
  },
  ruleAboutParts(['polls', 'streams'], {
    title: 'reads the state of a repository and its totals',
    tokens: ['organization_member'],
    check: async (fixture, host) => {
      const { provider, repositories, world } = fixture;
      const repository = await knownRepository(fixture, repositories.handbook);
      const tip = await provider.polls.readTip(repository, newCall());
      assert.equal(tip?.repository.name, 'handbook');
      const expected = expectedContributions(fixture, repositories.handbook, host);
      for (const { kind, externalId, details } of tip?.page.contributions ?? []) {
        const expectedItem = expected.find(
          (candidate) => candidate.kind === kind && candidate.externalId === externalId,
        );
        if (kind === 'star') continue;
        assert.deepEqual(
          withoutUnreported(details, host),
          withoutUnreported(expectedItem?.details ?? null, host),
          `${kind} ${externalId}`,
        );
      }
      assert.ok((tip?.page.contributions.length ?? 0) > 0);
      const totals = await provider.polls.readTotals(repository, newCall());
      const { issues, pulls } = fixture;
      assert.equal(totals['issues'], issues.length);
      assert.equal(totals['pull_requests'], pulls.length);
      assert.equal(totals['commits'], repositories.handbook.commits.length);
      // Where comments have no list of their own, nothing counts them.
      const hasList = provider.streams.list.some(({ name }) => name === 'comments');
      assert.equal(totals['comments'], hasList ? 3 : undefined);
      repositories.handbook.visibility = 'private';
      world.markChanged();
      assert.equal(await provider.polls.readTip(repository, newCall()), null);
    },
  }),
  ruleAboutParts(['history'], {
    title: 'finds the accounts of addresses in commits',
    tokens: ['public_only'],
    check: async (fixture) => {
      const { provider, repositories, people } = fixture;
      const { commits } = repositories.handbook;
      const identities = commits.map(({ author, oid }) => ({ email: author.email.toLowerCase(), oid }));
      const repository = await knownRepository(fixture, repositories.handbook);
      const resolved = await provider.history.resolveIdentities(repository, identities, newCall());
      const toId = (email: string): string | null | undefined => {
        const actor = resolved.get(email);
        return actor === undefined ? undefined : (actor?.externalId ?? null);
      };
      assert.equal(toId('ada@mail.example'), String(people.ada.id));
      assert.equal(toId('ada.lovelace@work.example'), String(people.ada.id));
      assert.equal(toId('nobody@elsewhere.example'), null);
      assert.equal(toId('gone-babbage@mail.example'), null);
    },
  }),
  ruleAboutParts(['history'], {
    title: 'gives git a credential for private repositories, and none for public ones',
    tokens: ['organization_member'],
    check: async (fixture) => {
      const { provider, repositories } = fixture;
      const { signal } = new AbortController();
      const open = await provider.history.toRemote(await knownRepository(fixture, repositories.handbook), signal);
      assert.equal(open.authorization, undefined);
      if (provider.privateData === undefined) return;
      const hidden = await provider.history.toRemote(await knownRepository(fixture, repositories.plans), signal);
      assert.match(hidden.authorization ?? '', /^Basic /);
    },
  }),
  ruleAboutParts(['files'], {
    title: 'reads files at the newest commit, and none of a repository that became private',
    tokens: ['organization_member'],
    check: async (fixture) => {
      const { provider, repositories, world } = fixture;
      const { handbook } = repositories;
      const repository = await knownRepository(fixture, handbook);
      const read = await provider.files.read(repository, ['.plaudit/config.yaml', 'absent/file.md'], newCall());
      assert.equal(read?.revision, handbook.commits.at(-1)?.oid);
      assert.deepEqual(
        read?.files.map(({ path, text, sizeBytes }) => ({ path, text, sizeBytes })),
        [{ path: '.plaudit/config.yaml', text: 'version: 0.0.1\n# Überraschung\n', sizeBytes: 31 }],
      );
      const empty = await knownRepository(fixture, repositories.empty);
      assert.deepEqual(await provider.files.read(empty, ['.plaudit/config.yaml'], newCall()), {
        revision: null,
        files: [],
      });
      handbook.visibility = 'private';
      world.markChanged();
      assert.equal(await provider.files.read(repository, ['.plaudit/config.yaml'], newCall()), null);
    },
  }),
  ruleAboutParts(['details'], {
    title: 'reads the line counts of commits and the changed files of pull requests',
    tokens: ['organization_member'],
    check: async (fixture) => {
      const { provider, repositories, pulls } = fixture;
      const repository = await knownRepository(fixture, repositories.handbook);
      const oids = repositories.handbook.commits.map(({ oid }) => oid);
      const counts = await provider.details.readLineCounts(repository, [...oids, '0'.repeat(40)], newCall());
      assert.deepEqual(
        [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1)),
        repositories.handbook.commits
          .map((commit) => [commit.oid, toLineCounts(commit)] as const)
          .toSorted(([left], [right]) => (left < right ? -1 : 1)),
      );
      const [pull] = pulls;
      assert.ok(pull);
      const files = await provider.details.readChangedFiles(repository, [String(pull.number)], newCall());
      assert.deepEqual([...files], [[String(pull.number), ['guide/engines.md']]]);
    },
  }),
  ruleAboutParts(['privateData'], {
    title:
      'reads every part of a private repository with the credential that showed it, also where it is not the first',
    tokens: ['user', 'organization_member'],
    check: async (fixture) => {
      const { provider, world, people, repositories } = fixture;
      const { streams, history, details, files, polls } = provider;
      const { plans } = repositories;
      const pull = addPullRequest(world, plans, { author: people.max });
      pull.files = [{ path: 'plan.md', additions: 1, deletions: 0 }];
      plans.files.set('plan.md', 'secret');
      const [commit] = plans.commits;
      const issues = streams?.list.find(({ covers }) => covers.includes('issue'));
      assert.ok(commit && (streams === undefined || issues));
      const repository = await knownRepository(fixture, plans);
      const position = { cursor: null, since: null, pageSize: null, isDeep: false };
      const page = issues && (await streams?.read(issues.name, repository, position, newCall()));
      const identities = [{ email: commit.author.email, oid: commit.oid }];
      const owners = await history?.resolveIdentities(repository, identities, newCall());
      const counts = await details?.readLineCounts(repository, [commit.oid], newCall());
      const changed = await details?.readChangedFiles(repository, [String(pull.number)], newCall());
      const read = await files?.read(repository, ['plan.md'], newCall());
      const tip = await polls?.readTip(repository, newCall());
      const totals = await polls?.readTotals(repository, newCall());
      assert.deepEqual(
        {
          issues: page?.contributions.map(({ kind }) => kind),
          author: owners?.get(commit.author.email)?.externalId,
          counted: counts && [...counts.keys()],
          changed: changed && [...changed],
          texts: read?.files.map(({ text }) => text),
          tip: tip?.repository.name,
          total: totals?.['issues'],
        },
        {
          issues: issues && ['issue'],
          author: history && String(people.olive.id),
          counted: details && [commit.oid],
          changed: details && [[String(pull.number), ['plan.md']]],
          texts: files && ['secret'],
          tip: polls && 'secret-plans',
          total: polls && streams && 1,
        },
      );
    },
  }),
];

async function listAll(provider: Provider, owner: KnownAccount) {
  const found = [];
  let cursor: string | null = null;
  do {
    const page = await provider.repositories.list(owner, cursor, newCall());
    found.push(...page.repositories);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return [...new Map(found.map((repository) => [repository.externalId, repository])).values()].toSorted(
    (left, right) => (left.name < right.name ? -1 : 1),
  );
}
