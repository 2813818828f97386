import assert from 'node:assert/strict';
import type { Contribution } from '../../src/contributions/contribution.ts';
import type { AccountReport, Call, KnownAccount, KnownRepository, Provider } from '../../src/providers/provider.ts';
import type { TokenName } from '../github/tokens.ts';
import type { Account, Repository, ReviewState } from '../github/world/model.ts';
import type { ContractWorld } from './world.ts';

/** A kind of code host that keeps the contract. */
export interface ContractHost {
  name: string;
  /** Serves a world in the provider's wire format. */
  start(world: ContractWorld): Promise<Told>;
  /** Fields of details that the host cannot tell, or tells otherwise. */
  untold: readonly (keyof NonNullable<Contribution['details']>)[];
  /** Whether it has lists of who starred when. */
  tellsStars: boolean;
  /** By what an account is known there. */
  externalIdOf: (account: Account) => string;
  /** Which reviews it tells; of others nothing but their comments. */
  reviewStates: readonly ReviewState[];
  /** What it cannot tell of organizations. */
  untoldOfOrganizations: readonly 'website'[];
}

/** What a host that knows everything that there is in the world has in common with others. */
export const plainHost: Pick<ContractHost, 'externalIdOf' | 'reviewStates' | 'untoldOfOrganizations'> = {
  externalIdOf: ({ id }) => String(id),
  reviewStates: ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED'],
  untoldOfOrganizations: [],
};

export interface Told extends AsyncDisposable {
  /** @param tokens by whose names it asks. */
  provider(tokens: readonly TokenName[]): Provider;
  tokens: Record<TokenName, string>;
}

/** The world as one provider sees it. */
export interface Scene extends ContractWorld {
  told: Told;
  provider: Provider;
}

/** What has to be so, asked for with these tokens. */
export interface Rule {
  what: string;
  tokens: readonly TokenName[];
  check(scene: Scene, host: ContractHost): Promise<void>;
}

export function call(): Call {
  return { urgency: 'interactive', signal: AbortSignal.timeout(30_000), cost: { requests: 0, points: 0 } };
}

export async function last(
  reports: AsyncGenerator<AccountReport, void, undefined>,
): Promise<AccountReport | undefined> {
  let report: AccountReport | undefined;
  for await (report of reports);
  return report;
}

export async function knownAccount(provider: Provider, login: string): Promise<KnownAccount> {
  const report = await last(provider.lookUp(login, call()));
  assert.ok(report, login);
  return { ...report.account, memory: report.memory };
}

export async function knownRepository(
  { provider, world }: Pick<Scene, 'provider' | 'world'>,
  { name, ownerId }: Repository,
): Promise<KnownRepository> {
  const login = world.accountById(ownerId)?.login ?? assert.fail();
  const owner = await knownAccount(provider, login);
  const found = await provider.findRepository(owner, name, { withPrivate: true }, call());
  assert.ok(found, name);
  return { owner: login, name, handle: found.handle, defaultBranch: found.defaultBranch, access: found.access };
}
