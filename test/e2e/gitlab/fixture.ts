import { delivery } from '../../../simulators/gitlab/deliveries.ts';
import { type GitLabSimulator, startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import { deliverySecret } from '../../../simulators/host.ts';
import { addCommit, addIssue, addRepository } from '../../../simulators/world/activity.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { untilCounted } from '../../contract/service-responses.ts';
import { approveCommented, type ContractWorld, createContractWorld } from '../../contract/world.ts';
import { engines } from '../../integration/access/owner.ts';
import { installAsOperator } from '../installations/as-operator.ts';
import { sendDelivery } from '../raw-request.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../service.ts';

/** A whole service on a simulated GitLab with a subgroup, for tests. */

export interface Fixture extends ContractWorld {
  simulator: GitLabSimulator;
  service: TestService;
  /** A subgroup of the organization, and its project. */
  looms: Account;
  cards: Repository;
}

export const listGitLabSettings = ({ url, tokens }: GitLabSimulator): Record<string, string> => ({
  GITLAB_URL: url,
  GITLAB_TOKEN: tokens.organization_member,
  GITLAB_WEBHOOK_SECRET: deliverySecret,
});

export const entity = (name: string): string => `/v1/gitlab/entities/${name.replaceAll('/', ':')}`;

type StartService = (options: TestServiceOptions) => Promise<TestService>;

/** Starts a service and its simulator, for one test or for several that change nothing. */
export async function openFixture(start: StartService = startTestService): Promise<Fixture & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const world = createContractWorld();
  approveCommented(world.world);
  const { organization, people, now } = world;
  const login = `${organization.login}/looms`;
  const looms = addAccount(world.world, { type: 'Organization', login, name: 'Looms', createdAt: now() });
  const cards = addRepository(world.world, { ownerId: looms.id, name: 'punch.cards', createdAt: now() });
  addCommit(world.world, cards, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
  addIssue(world.world, cards, { author: people.max });
  const simulator = stack.use(await startGitLabSimulator({ world: world.world, maxPerPage: 3 }));
  const service = stack.use(await start({ simulator, tokens: [], settings: listGitLabSettings(simulator), now }));
  const parts = stack.move();
  return { ...world, simulator, service, looms, cards, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export async function withService(check: (fixture: Fixture) => Promise<void>, start?: StartService): Promise<void> {
  await using fixture = await openFixture(start);
  await check(fixture);
}

export const untilResponsesMatchWorld = (
  fixture: Fixture,
  condition: string,
  name: string = engines.name,
): Promise<void> => untilCounted(fixture, { name, path: entity(name) }, condition);

/** Installs as the operator does, while the service runs. */
export const install = ({ service, simulator }: Fixture, target: string): Promise<void> =>
  installAsOperator(service, listGitLabSettings(simulator), target);

export const deliver = ({ service }: Fixture, event: string, payload: object): Promise<string> =>
  sendDelivery(service, 'gitlab', delivery(event, payload));

export const projectPayload = ({ id, name }: Repository) => ({ id, path_with_namespace: `${engines.name}/${name}` });
