import { createHmac, randomUUID } from 'node:crypto';
import { anonymousViewer } from '../world/world.ts';
import type { Simulator } from './simulator.ts';
import { toPayload } from './webhooks/payloads.ts';

/** Deliveries that the simulated GitHub would send to a service, signed as GitHub signs them. */

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

/** Returns a list that collects every delivery from now on, in order. The test sends them itself. */
export function outbox({ world, url: origin, apiUrl }: Pick<Simulator, 'world' | 'url' | 'apiUrl'>): Sent[] {
  const sent: Sent[] = [];
  const context = { world, viewer: anonymousViewer, origin, apiUrl };
  world.listeners.add((event) => {
    sent.push(signed(event.name, JSON.stringify(toPayload(context, event))));
  });
  return sent;
}
