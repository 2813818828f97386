import { createHmac, randomUUID } from 'node:crypto';
import { recordedDelivery } from '../../../simulators/gitea/recordings.ts';
import { repository } from '../../../simulators/gitea/responses.ts';
import { type GiteaSimulator, startGiteaSimulator } from '../../../simulators/gitea/simulator.ts';
import { deliverySecret } from '../../../simulators/host.ts';
import type { Account } from '../../../simulators/world/model.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { anybody } from '../../../simulators/world/world.ts';
import { untilCounted } from '../../contract/served.ts';
import { type ContractWorld, createContractWorld } from '../../contract/world.ts';
import { engines } from '../../integration/access/owner.ts';
import { sendDelivery } from '../raw-request.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../service.ts';

/** A whole service on a simulated Gitea, for tests. */

export interface Scene extends ContractWorld {
  simulator: GiteaSimulator;
  service: TestService;
}

export const settingsOf = ({ url, tokens }: GiteaSimulator): Record<string, string> => ({
  GITEA_URL: url,
  GITEA_TOKEN: tokens.organization_member,
  GITEA_WEBHOOK_SECRET: deliverySecret,
});

export const entity = (name: string): string => `/v1/gitea/entities/${name}`;

export interface SceneOptions {
  /** True: the instance requires a sign-in. */
  isClosed?: boolean;
  /** Default: the whole service. */
  begin?: (options: TestServiceOptions) => Promise<TestService>;
}

/** Starts a service and its simulator, for one test or for several that use organizations of their own. */
export async function openScene({
  begin = startTestService,
  ...options
}: SceneOptions = {}): Promise<Scene & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const world = createContractWorld();
  const simulator = stack.use(await startGiteaSimulator({ world: world.world, maxPerPage: 3, ...options }));
  const service = stack.use(await begin({ simulator, tokens: [], settings: settingsOf(simulator), now: world.now }));
  const parts = stack.move();
  return { ...world, simulator, service, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export async function inService(check: (scene: Scene) => Promise<void>, options: SceneOptions = {}): Promise<void> {
  await using scene = await openScene(options);
  await check(scene);
}

/** Waits until the numbers of an organization, by default the one with everything in it, are those of the world. */
export const untilTrue = (scene: Scene, what: string, name: string = engines.name): Promise<void> =>
  untilCounted(scene, { name, path: entity(name) }, what);

/** Adds an organization that only one test uses, so that tests share a service. */
export function addOrganization({ world, now }: Scene): Account {
  return addAccount(world, { type: 'Organization', login: `makers-${world.accounts.length}`, createdAt: now() });
}

/** Returns a recorded delivery with values of the simulated world. */
function delivered(
  scene: Scene,
  name: string,
  about: Record<string, unknown>,
): { headers: Record<string, string>; body: string } {
  const { headers, body: recordedBody } = recordedDelivery(name);
  const place = placeOf(scene);
  const content = {
    ...(JSON.parse(recordedBody) as object),
    repository: repository(place, scene.repositories.handbook),
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

export function placeOf({ world, simulator }: Scene) {
  const { hidden, imported, behind, url } = simulator;
  return { world, url, query: new URLSearchParams(), maxPerPage: 50, viewer: anybody, hidden, imported, behind };
}

export const deliver = (scene: Scene, name: string, about: Record<string, unknown>): Promise<string> =>
  sendDelivery(scene.service, 'gitea', delivered(scene, name, about));
