import { type Sent, webhookSecret } from '../../../simulators/github/deliver.ts';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { contributorsOf, countersOf } from '../../../simulators/world/expected-totals.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
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

/** Returns the people of a response in the form of `contributorsOf`. */
export const toContributors = (items: Record<string, unknown>[]): object[] =>
  items.map(({ name, contributions }) => ({ login: name, contributions }));

/** Waits until the organization's contributors and counters are those of the world. */
export async function untilResponsesMatchWorld(
  service: TestService,
  simulator: Simulator,
  condition: string,
): Promise<void> {
  await until(async () => {
    const { body } = await service.getComplete(`${engines.name}/contributors?limit=100`);
    const isTrue =
      JSON.stringify(toContributors(body.data)) === JSON.stringify(contributorsOf(simulator.world, engines.name));
    const { body: numbers } = await service.getComplete(`${engines.name}/contributions`);
    const expected = countersOf(simulator.world, engines.name);
    return isTrue && JSON.stringify(numbers.data[0]?.['contributions']) === JSON.stringify(expected) ? true : undefined;
  }, condition);
}
