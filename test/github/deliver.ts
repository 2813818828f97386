import { createHmac, randomUUID } from 'node:crypto';
import { simpleAccount } from './rest/accounts.ts';
import type { Simulator } from './simulator.ts';
import type { Account, Repository } from './world/model.ts';

/** What the simulated GitHub tells a service by itself, signed as GitHub signs. */

export const webhookSecret = 'a secret for deliveries';

export interface Sent {
  body: string;
  headers: Record<string, string>;
}

export function signed(event: string, body: string, options: { id?: string; secret?: string } = {}): Sent {
  const { id = randomUUID(), secret = webhookSecret } = options;
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/simulated',
      'x-github-event': event,
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  };
}

/** A delivery about a repository of the world; what happened is in `more`. */
export function aboutRepository(
  simulator: Pick<Simulator, 'world' | 'url' | 'apiUrl'>,
  event: string,
  repository: Repository,
  more: Record<string, unknown> = {},
): Sent {
  const { world } = simulator;
  const owner = world.accountById(repository.ownerId);
  if (owner === undefined) throw new Error('a repository without an owner');
  const payload = {
    ...more,
    repository: {
      id: repository.id,
      node_id: repository.nodeId,
      name: repository.name,
      full_name: `${owner.login}/${repository.name}`,
      private: repository.visibility !== 'public',
      owner: teller(simulator)(owner),
    },
    sender: teller(simulator)(owner),
  };
  return signed(event, JSON.stringify(payload));
}

/** How GitHub tells of accounts. */
export function teller(simulator: Pick<Simulator, 'world' | 'url' | 'apiUrl'>): (account: Account) => object {
  const { world, url: origin, apiUrl } = simulator;
  const viewer = { accountId: null, seesPrivate: false };
  return (account) => simpleAccount({ world, viewer, origin, apiUrl }, account);
}
