import { type Sent, webhookSecret } from '../../../simulators/github/deliver.ts';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { untilCounted } from '../../contract/service-responses.ts';
import { engines } from '../../integration/access/owner.ts';
import { send } from '../raw-request.ts';
import type { TestService } from '../service.ts';

/** The settings of a service that accepts the deliveries of the simulated host. */
export const settings = { GITHUB_WEBHOOK_SECRET: webhookSecret };
const path = '/v1/github/webhooks';

/** Sends a delivery. @returns the status of the response, and its state where it has one. */
export async function deliver(
  service: TestService,
  { headers, body }: Sent,
): Promise<{ status: number; state?: string }> {
  const response = await send(service, path, 'POST', headers, body);
  const { data } = JSON.parse(response.body) as { data?: { state: string } };
  return { status: response.status, ...(data && { state: data.state }) };
}

/** Waits until the organization's contributors and counters are those of the world. */
export function untilResponsesMatchWorld(
  service: TestService,
  { world }: Pick<Simulator, 'world'>,
  condition: string,
): Promise<void> {
  return untilCounted({ world, service }, { name: engines.name, path: engines.name }, condition);
}
