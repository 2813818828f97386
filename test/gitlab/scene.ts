import assert from 'node:assert/strict';
import { installByName } from '../../src/commands/installations.ts';
import { engines } from '../access/owner.ts';
import { type ContractWorld, createContractWorld } from '../contract/world.ts';
import { addCommit, addIssue, addRepository } from '../github/world/activity.ts';
import type { Account, Repository } from '../github/world/model.ts';
import { addAccount } from '../github/world/people.ts';
import { contributorsOf, countersOf } from '../github/world/truth.ts';
import { send } from '../raw-request.ts';
import { startTestService, type TestService, until } from '../service.ts';
import { deliverySecret } from './asking.ts';
import { delivery } from './deliveries.ts';
import { type GitLabSimulator, startGitLabSimulator } from './simulator.ts';

/** A whole service on a simulated GitLab, with a group below another. */

export interface Scene extends ContractWorld {
  simulator: GitLabSimulator;
  service: TestService;
  /** A group below the organization, and what it owns. */
  looms: Account;
  cards: Repository;
}

export const entity = (name: string): string => `/v1/gitlab/entities/${encodeURIComponent(name)}`;

export async function inService(check: (scene: Scene) => Promise<void>): Promise<void> {
  const world = createContractWorld();
  // A review that neither approves nor asks for changes is nothing but its comments there.
  for (const { reviews } of world.pulls) {
    for (const review of reviews) if (review.state === 'COMMENTED') review.state = 'APPROVED';
  }
  const { organization, people, now } = world;
  const login = `${organization.login}/looms`;
  const looms = addAccount(world.world, { type: 'Organization', login, name: 'Looms', createdAt: now() });
  const cards = addRepository(world.world, { ownerId: looms.id, name: 'punch.cards', createdAt: now() });
  addCommit(world.world, cards, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
  addIssue(world.world, cards, { author: people.max });
  await using simulator = await startGitLabSimulator({ world: world.world, maxPerPage: 3 });
  await using service = await startTestService({
    simulator,
    tokens: [],
    settings: {
      GITLAB_URL: simulator.url,
      GITLAB_TOKEN: simulator.tokens.organization_member,
      GITLAB_WEBHOOK_SECRET: deliverySecret,
    },
    now,
  });
  await check({ ...world, simulator, service, looms, cards });
}

export const listed = (data: Record<string, unknown>[]): object[] =>
  data.map(({ name, contributions }) => ({ login: name, contributions }));

export async function untilTrue({ world, service }: Scene, what: string, name: string = engines.name): Promise<void> {
  await until(async () => {
    const { body } = await service.getComplete(`${entity(name)}/contributors?limit=100`);
    const { body: numbers } = await service.getComplete(`${entity(name)}/contributions`);
    const isTrue =
      JSON.stringify(listed(body.data)) === JSON.stringify(contributorsOf(world, name)) &&
      JSON.stringify(numbers.data[0]?.['contributions']) === JSON.stringify(countersOf(world, name));
    return isTrue ? true : undefined;
  }, what);
}

/** Installs as the operator does, while the service runs. */
export async function install({ service, simulator }: Scene, target: string): Promise<void> {
  const environment = {
    DATA_DIR: service.dataDir,
    DATABASE_URL: service.databaseUrl,
    GITLAB_URL: simulator.url,
    GITLAB_TOKEN: simulator.tokens.organization_member,
    LOG_LEVEL: 'silent',
  };
  const io = { environment, print: () => {}, warn: () => {}, isTerminal: false, signal: AbortSignal.timeout(60_000) };
  await installByName(io, target);
}

export async function deliver({ service }: Scene, event: string, payload: object): Promise<string> {
  const { headers, body } = delivery(event, payload);
  const answer = await send(service, '/v1/gitlab/webhooks', 'POST', headers, body);
  assert.equal(answer.status, 202, answer.body);
  return (JSON.parse(answer.body) as { data: { state: string } }).data.state;
}

export const told = ({ id, name }: Repository) => ({ id, path_with_namespace: `${engines.name}/${name}` });
