import assert from 'node:assert/strict';
import type { TokenName } from '../../simulators/github/tokens.ts';
import type { Account } from '../../simulators/world/model.ts';
import { deleteAccount, renameAccount, takeLogin } from '../../simulators/world/mutations.ts';
import {
  addCollaborator,
  addMember,
  removeCollaborator,
  removeMember,
} from '../../simulators/world/repository-changes.ts';
import type { AccountReport } from '../../src/hosts/interface/provider.ts';
import { type ContractHost, knownAccount, lastReport, newCall, type Rule, ruleAboutParts } from './host.ts';

/** Rules about accounts and the proof of their ownership. */
export const accountRules: readonly Rule[] = [
  {
    title: 'distinguishes a user from an organization, in any spelling of their names',
    tokens: ['public_only'],
    check: async (fixture, host) => {
      const { provider, people, organization } = fixture;
      for (const account of [people.ada, people.olive, organization]) {
        for (const spelling of [account.login, account.login.toUpperCase()]) {
          const report = await lastReport(provider.accounts.lookUp(spelling, newCall()));
          assert.deepEqual(toIdentity(report), expectedIdentity(account, host), spelling);
        }
      }
      assert.equal(await lastReport(provider.accounts.lookUp('nobody-at-all', newCall())), undefined);
      assert.equal(await lastReport(provider.accounts.lookUp(people.deleted.login, newCall())), undefined);
    },
  },
  {
    title: 'counts the stars of the repositories of a user without forks, and lists unknown counters as missing',
    tokens: ['public_only'],
    check: async (fixture) => {
      const { provider, people } = fixture;
      const report = await lastReport(provider.accounts.lookUp(people.ada.login, newCall()));
      assert.equal(report?.counters.stars, 0);
      for (const name of ['issues', 'pull_requests'] as const) {
        assert.ok(report?.missing.includes(name) !== (report?.counters[name] !== undefined), name);
      }
    },
  },
  {
    title: 'finds a stored account again until it is deleted',
    tokens: ['public_only'],
    check: async ({ provider, people, world }) => {
      const stored = await knownAccount(provider, people.max.login);
      assert.equal(
        (await lastReport(provider.accounts.refresh(stored, newCall())))?.account.externalId,
        stored.externalId,
      );
      deleteAccount(world, people.max);
      assert.equal(await lastReport(provider.accounts.refresh(stored, newCall())), undefined);
    },
  },
  ruleAboutParts(['teams'], {
    title: 'reads the members of a team with a token that may, in any spelling, and of no other team',
    tokens: ['user', 'organization_member'],
    check: async ({ provider, people, organization, world }) => {
      const members = [people.max, people.ada];
      world.teams.push({
        id: world.newId(),
        organizationId: organization.id,
        slug: 'core',
        memberIds: members.map(({ id }) => id),
      });
      const read = (team: string) =>
        provider.teams.readMembers(
          { organization: organization.login, organizationId: String(organization.id), team },
          newCall(),
        );
      assert.deepEqual((await read('Core'))?.toSorted(), members.map(({ id }) => String(id)).toSorted());
      assert.equal(await read('nothing'), null);
    },
  }),
  ruleAboutParts(['teams'], {
    title: 'reads no team with a token of an account outside of the organization',
    tokens: ['user'],
    check: async ({ provider, people, organization, world }) => {
      world.teams.push({
        id: world.newId(),
        organizationId: organization.id,
        slug: 'core',
        memberIds: [people.max.id],
      });
      const team = { organization: organization.login, organizationId: String(organization.id), team: 'core' };
      assert.equal(await provider.teams.readMembers(team, newCall()), null);
    },
  }),
  ruleAboutParts(['ownership'], {
    title: 'proves the account of the bearer of a token, and the organizations that the bearer administers',
    tokens: ['public_only'],
    check: async (fixture, host) => {
      const { provider, server, people, organization } = fixture;
      const prove = (token: TokenName, name: string) =>
        provider.ownership.prove(server.tokens[token], name, AbortSignal.timeout(10_000));
      const own = await prove('user', people.ada.login.toUpperCase());
      assert.deepEqual([own.bearer.externalId, own.owned?.externalId], [String(people.ada.id), String(people.ada.id)]);
      const administered = await prove('organization_admin', organization.login);
      assert.deepEqual(
        [administered.owned?.externalId, administered.owned?.type],
        [host.externalIdOf(organization), 'organization'],
      );
      for (const [token, name] of [
        ['organization_member', organization.login],
        ['user', organization.login],
        ['organization_admin', people.ada.login],
        ['user', 'nobody-at-all'],
        ['user', '..'],
      ] as const) {
        assert.equal((await prove(token, name)).owned, null, `${token} ${name}`);
      }
      const stranger = provider.ownership.prove('no-token-at-all', organization.login, AbortSignal.timeout(10_000));
      await assert.rejects(stranger, { code: 'unauthenticated' });
    },
  }),
  {
    title: 'checks by immutable ids whether persons still administer an organization',
    tokens: ['organization_admin'],
    appliesTo: ({ ownership }) => ownership?.administers !== undefined,
    check: async ({ provider, people, organization, world }, host) => {
      const stored = { externalId: host.externalIdOf(organization), name: organization.login };
      const check = ({ id }: Account) => provider.ownership?.administers?.(stored, String(id), newCall());
      assert.equal(await check(people.olive), 'yes');
      assert.equal(await check(people.max), 'no');
      assert.equal(await check(people.ada), 'no');
      addMember(world, organization, people.max, 'admin');
      assert.equal(await check(people.max), 'yes');
      // Another account takes the login of the former administrator, and becomes an administrator.
      renameAccount(world, people.max, 'max-renamed');
      const successor = takeLogin(world, 'max-member');
      addMember(world, organization, successor, 'admin');
      assert.equal(await check(people.max), 'yes');
      removeMember(world, organization, people.max);
      assert.equal(await check(people.max), 'no');
      assert.equal(await check(successor), 'yes');
      addMember(world, organization, successor, 'member');
      assert.equal(await check(successor), 'no');
    },
  },
  {
    title: 'confirms the access to a private repository of owners, members and collaborators, by immutable ids',
    tokens: ['organization_admin'],
    appliesTo: ({ privateData }) => privateData?.maySee !== undefined,
    check: async ({ provider, people, organization, world, repositories: { plans } }) => {
      const { max, ada, olive } = people;
      const owner = await knownAccount(provider, organization.login);
      const found = await provider.repositories.find(owner, plans.name, { withPrivate: true }, newCall());
      const repository = { ...(found ?? assert.fail()), owner: owner.name };
      const maySee = ({ id, login }: Pick<Account, 'id' | 'login'>) =>
        provider.privateData?.maySee?.(repository, { externalId: String(id), name: login }, newCall());
      assert.deepEqual([await maySee(olive), await maySee(max), await maySee(ada)], [true, true, false]);
      addCollaborator(world, plans, ada);
      assert.equal(await maySee(ada), true);
      removeCollaborator(world, plans, ada);
      assert.equal(await maySee(ada), false);
      // Another account takes the login that is stored of the former member.
      const stored = { id: max.id, login: max.login };
      removeMember(world, organization, max);
      renameAccount(world, max, 'max-renamed');
      const successor = takeLogin(world, stored.login);
      addMember(world, organization, successor, 'member');
      assert.deepEqual([await maySee(stored), await maySee(successor)], [false, true]);
      assert.equal(await maySee({ id: 987_654_321, login: 'nobody-at-all' }), false);
    },
  },
  {
    title: 'confirms no access to a private repository that its credential does not show',
    tokens: ['user'],
    appliesTo: ({ privateData }) => privateData?.maySee !== undefined,
    check: async ({ provider, people, organization, repositories: { plans } }) => {
      const { name, id, nodeId } = plans;
      const credentialName = provider.privateData?.credentialNames()[0] ?? '';
      for (const handle of [String(id), nodeId]) {
        const repository = { owner: organization.login, name, handle, defaultBranch: 'main', credentialName };
        const person = { externalId: String(people.olive.id), name: people.olive.login };
        assert.equal(await provider.privateData?.maySee?.(repository, person, newCall()), false);
      }
    },
  },
  {
    title: 'cannot check administrators without a credential that sees them',
    tokens: [],
    appliesTo: ({ ownership }) => ownership?.administers !== undefined,
    check: async ({ provider, people, organization }, host) => {
      const stored = { externalId: host.externalIdOf(organization), name: organization.login };
      for (const { id } of [people.olive, people.ada]) {
        assert.equal(await provider.ownership?.administers?.(stored, String(id), newCall()), 'cannot_check');
      }
    },
  },
  ruleAboutParts(['deliveries'], {
    title: 'refuses unsigned deliveries',
    tokens: ['public_only'],
    check: async ({ provider }) => {
      assert.throws(() => provider.deliveries.read({}), { code: 'unauthenticated' });
    },
  }),
  {
    title: 'checks accounts by their immutable ids, and reports their present names or that they are absent',
    tokens: ['organization_member'],
    appliesTo: ({ accounts }) => accounts.check !== undefined,
    check: async ({ provider, people, world }) => {
      const stored = await Promise.all(
        [people.ada, people.max, people.olive].map(({ login }) => knownAccount(provider, login)),
      );
      renameAccount(world, people.max, 'max-renamed');
      takeLogin(world, 'max-member');
      deleteAccount(world, people.olive);
      const checked = await provider.accounts.check?.(stored, newCall());
      assert.deepEqual(
        [...(checked ?? [])].map(([id, actor]) => [id, actor && [actor.externalId, actor.name, actor.isPublic]]),
        [
          [String(people.ada.id), [String(people.ada.id), 'ada-lovelace', true]],
          [String(people.max.id), [String(people.max.id), 'max-renamed', true]],
          [String(people.olive.id), null],
        ],
      );
    },
  },
  {
    title: 'reports the same id for a renamed account',
    tokens: ['public_only'],
    check: async ({ provider, people, world }) => {
      renameAccount(world, people.max, 'max-renamed');
      const report = await lastReport(provider.accounts.lookUp('max-renamed', newCall()));
      assert.equal(report?.account.externalId, String(people.max.id));
    },
  },
];

function toIdentity(report: AccountReport | undefined) {
  if (report === undefined) return undefined;
  const { externalId, type, name, displayName, website, description } = report.account;
  return { externalId, type, name, displayName, website, description };
}

function expectedIdentity(account: Account, host: ContractHost) {
  const { type, login, name, websiteUrl, bio } = account;
  const isOrganization = type === 'Organization';
  const unreported = isOrganization ? host.unreportedOfOrganizations : host.unreportedOfUsers;
  return {
    externalId: host.externalIdOf(account),
    type: isOrganization ? 'organization' : 'user',
    name: login,
    displayName: name ?? '',
    website: unreported.includes('website') ? '' : (websiteUrl ?? ''),
    description: unreported.includes('description') ? '' : (bio ?? ''),
  };
}
