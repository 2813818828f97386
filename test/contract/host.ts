import assert from 'node:assert/strict';
import type { TokenName } from '../../simulators/github/tokens.ts';
import type { Account, Repository, ReviewState } from '../../simulators/world/model.ts';
import type {
  AccountReport,
  Call,
  KnownAccount,
  KnownRepository,
  Provider,
  ProviderWith,
} from '../../src/hosts/interface/provider.ts';
import type { Contribution } from '../../src/model/contribution.ts';
import type { ContractWorld } from './world.ts';

/** A kind of code host whose provider must keep the contract. */
export interface ContractHost {
  name: string;
  /** Serves a world in the provider's wire format. */
  start(world: ContractWorld): Promise<ServedHost>;
  /** Fields of details that the host does not report, or reports differently. */
  unreported: readonly (keyof NonNullable<Contribution['details']>)[];
  /** True when the host lists stargazers with the times of their stars. */
  reportsStars: boolean;
  /** Returns the id of an account at the host. */
  externalIdOf: (account: Account) => string;
  /** The states of reviews that the host reports; of reviews in other states it reports only the comments. */
  reviewStates: readonly ReviewState[];
  /** Present when the host reports how many comments a review has. */
  countsCommentsOfReviews?: true;
  /** The moment of a review that the host reports: its submission, or the beginning of its draft. */
  reviewMoment: 'submittedAt' | 'createdAt';
  /** The beginning of titles of drafts, where the host has no other mark of them. */
  draftPrefix: string;
  /** True when the host finds a repository by its former name. */
  keepsFormerNames: boolean;
  /** Fields of users that the host does not report. */
  unreportedOfUsers: readonly ('website' | 'description')[];
  /** Fields of organizations that the host does not report. */
  unreportedOfOrganizations: readonly ('website' | 'description')[];
  /** Fields of repositories that the host does not report. */
  unreportedOfRepositories: readonly ('description' | 'language')[];
}

/** The common properties of hosts that report everything in the world. */
export const plainHost: Pick<
  ContractHost,
  | 'externalIdOf'
  | 'reviewStates'
  | 'reviewMoment'
  | 'draftPrefix'
  | 'keepsFormerNames'
  | 'unreportedOfUsers'
  | 'unreportedOfOrganizations'
  | 'unreportedOfRepositories'
> = {
  externalIdOf: ({ id }) => String(id),
  reviewStates: ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED'],
  reviewMoment: 'submittedAt',
  draftPrefix: '',
  keepsFormerNames: true,
  unreportedOfUsers: [],
  unreportedOfOrganizations: [],
  unreportedOfRepositories: [],
};

export interface ServedHost extends AsyncDisposable {
  /** @param tokens names of the tokens that the provider uses. */
  provider(tokens: readonly TokenName[]): Provider;
  tokens: Record<TokenName, string>;
}

/** The world as one provider sees it. */
export interface Fixture<Part extends keyof Provider = never> extends ContractWorld {
  server: ServedHost;
  provider: ProviderWith<Part>;
}

/** A rule of the contract, checked with a provider that uses these tokens. */
export interface Rule {
  title: string;
  tokens: readonly TokenName[];
  /** Returns whether the provider and its host have what the rule is about; absent: all of them have it. */
  appliesTo?: (provider: Provider, host: ContractHost) => boolean;
  check(fixture: Fixture, host: ContractHost): Promise<void>;
}

/** Returns a rule about optional parts, which does not apply to a provider without one of them. */
export function ruleAboutParts<Part extends keyof Provider>(
  parts: readonly Part[],
  rule: Pick<Rule, 'title' | 'tokens'> & { check(fixture: Fixture<Part>, host: ContractHost): Promise<void> },
): Rule {
  return {
    ...rule,
    appliesTo: (provider) => hasParts(provider, parts),
    check: async (fixture, host) => {
      const { provider } = fixture;
      assert.ok(hasParts(provider, parts));
      await rule.check({ ...fixture, provider }, host);
    },
  };
}

export function hasParts<Part extends keyof Provider>(
  provider: Provider,
  parts: readonly Part[],
): provider is ProviderWith<Part> {
  return parts.every((part) => provider[part] !== undefined);
}

export function newCall(more: Partial<Call> = {}): Call {
  return { urgency: 'interactive', signal: AbortSignal.timeout(30_000), cost: { requests: 0, points: 0 }, ...more };
}

export async function lastReport(
  reports: AsyncGenerator<AccountReport, void, undefined>,
): Promise<AccountReport | undefined> {
  let report: AccountReport | undefined;
  for await (report of reports);
  return report;
}

export async function knownAccount(provider: Provider, login: string): Promise<KnownAccount> {
  const report = await lastReport(provider.accounts.lookUp(login, newCall()));
  assert.ok(report, login);
  return { ...report.account, memory: report.memory };
}

export async function knownRepository(
  { provider, world }: Pick<Fixture, 'provider' | 'world'>,
  { name, ownerId }: Repository,
): Promise<KnownRepository> {
  const login = world.accountById(ownerId)?.login ?? assert.fail();
  const owner = await knownAccount(provider, login);
  const found = await provider.repositories.find(owner, name, { withPrivate: true }, newCall());
  assert.ok(found, name);
  return {
    owner: login,
    name,
    handle: found.handle,
    defaultBranch: found.defaultBranch,
    credentialName: found.credentialName,
  };
}
