import { createHmac, randomUUID } from 'node:crypto';
import { recordedDelivery } from '../../../simulators/gitea/recordings.ts';
import { describeRepository } from '../../../simulators/gitea/responses.ts';
import { type GiteaSimulator, startGiteaSimulator } from '../../../simulators/gitea/simulator.ts';
import { deliverySecret } from '../../../simulators/host.ts';
import type { Account } from '../../../simulators/world/model.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { anonymousViewer } from '../../../simulators/world/world.ts';
import { untilCounted } from '../../contract/service-responses.ts';
import { type ContractWorld, createContractWorld } from '../../contract/world.ts';
import { engines } from '../../integration/access/owner.ts';
import { sendDelivery } from '../raw-request.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../service.ts';

/** A whole service on a simulated Gitea, for tests. */

export interface Fixture extends ContractWorld {
  simulator: GiteaSimulator;
  service: TestService;
}

export const listGiteaSettings = ({ url, tokens }: GiteaSimulator): Record<string, string> => ({
  GITEA_URL: url,
  GITEA_TOKEN: tokens.organization_member,
  GITEA_WEBHOOK_SECRET: deliverySecret,
});

export const entity = (name: string): string => `/v1/gitea/entities/${name}`;

export interface FixtureOptions {
  /** True: the instance requires a sign-in. */
  isClosed?: boolean;
  /** Default: the whole service. */
  start?: (options: TestServiceOptions) => Promise<TestService>;
}

/** Starts a service and its simulator, for one test or for several that use organizations of their own. */
export async function openFixture({
  start = startTestService,
  ...options
}: FixtureOptions = {}): Promise<Fixture & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const world = createContractWorld();
  const simulator = stack.use(await startGiteaSimulator({ world: world.world, maxPerPage: 3, ...options }));
  const service = stack.use(
    await start({ simulator, tokens: [], settings: listGiteaSettings(simulator), now: world.now }),
  );
  const parts = stack.move();
  return { ...world, simulator, service, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export async function withService(
  check: (fixture: Fixture) => Promise<void>,
  options: FixtureOptions = {},
): Promise<void> {
  await using fixture = await openFixture(options);
  await check(fixture);
}

/** Waits until the numbers of an organization, by default the one with everything in it, are those of the world. */
export const untilResponsesMatchWorld = (
  fixture: Fixture,
  condition: string,
  name: string = engines.name,
): Promise<void> => untilCounted(fixture, { name, path: entity(name) }, condition);

/** Adds an organization that only one test uses, so that tests share a service. */
export function addOrganization({ world, now }: Fixture): Account {
  return addAccount(world, { type: 'Organization', login: `makers-${world.accounts.length}`, createdAt: now() });
}

/** Returns a recorded delivery with values of the simulated world. */
function recordedDeliveryWith(
  fixture: Fixture,
  name: string,
  about: Record<string, unknown>,
): { headers: Record<string, string>; body: string } {
  const { headers, body: recordedBody } = recordedDelivery(name);
  const context = responseContext(fixture);
  const content = {
    ...(JSON.parse(recordedBody) as object),
    repository: describeRepository(context, fixture.repositories.handbook),
    ...about,
  };
  const body = JSON.stringify(content);
  const signature = createHmac('sha256', deliverySecret).update(body).digest('hex');
  return {
    body,
    headers: {
      ...headers,
      'x-gitea-delivery': randomUUID(),
      'x-gitea-signature': signature,
      'x-hub-signature-256': `sha256=${signature}`,
    },
  };
}

export function responseContext({ world, simulator }: Fixture) {
  const { hidden, imported, unprocessedPushes, url } = simulator;
  return {
    world,
    url,
    query: new URLSearchParams(),
    maxPerPage: 50,
    viewer: anonymousViewer,
    hidden,
    imported,
    unprocessedPushes,
  };
}

export const deliver = (fixture: Fixture, name: string, about: Record<string, unknown>): Promise<string> =>
  sendDelivery(fixture.service, 'gitea', recordedDeliveryWith(fixture, name, about));
