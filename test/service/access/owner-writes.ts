import assert from 'node:assert/strict';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import type { ServiceResponse, TestService } from '../../e2e/service.ts';
import { decode, ed25519, pem } from '../../integration/access/forge-token.ts';
import { ada, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { prepareAwarding } from '../../integration/notifications/outbox.ts';
import { award } from '../achievements/award.ts';
import { freezeBoards, storeEndedBoard } from '../boards/ended-boards.ts';

/** An owner of an organization, who sends requests below its address. */
export interface Owner {
  service: TestService;
  token: string;
  /** The token of the host that proves the ownership. */
  hostToken: string;
  send: (method: string, path: string, body?: unknown, token?: string) => Promise<ServiceResponse>;
}

export async function findOwner(service: TestService, simulator: Simulator): Promise<Owner> {
  const token = await serviceToken(service, simulator, engines);
  return {
    service,
    token,
    hostToken: simulator.tokens[engines.token],
    send: (method, path, body, by = token) => service.get(`${engines.name}${path}`, jsonRequest(method, by, body)),
  };
}

/** A request by which an owner stores something. */
interface OwnerWrite {
  /** Stores what the request is about. @returns the request. */
  prepare: (owner: Owner) => Promise<() => Promise<ServiceResponse>>;
  /** The transactions and single writes before the one that finds the account erased; default: 0. */
  after?: number;
  /** Default: 404. */
  status?: number;
}

const toData = ({ status, text }: ServiceResponse): Record<string, string> => {
  assert.ok(status < 300, text);
  return (JSON.parse(text) as { data: Record<string, string> }).data;
};

const image = { path: `/v1/github/entities/${engines.name}/contributions`, format: 'svg' };
const webhook = { url: 'https://hooks.example/plaudit' };
const board = {
  boards: [
    {
      board: {
        name: 'Sprint',
        slug: 'sprint',
        repositories: ['analytical-engines/*'],
        points: [{ action: 'commit', points: 1 }],
      },
    },
  ],
};

async function addEmbed(owner: Owner): Promise<string> {
  const { id } = toData(await owner.send('POST', '/embeds', image));
  return `/embeds/${id}`;
}

function register(owner: Owner, key: string): Promise<ServiceResponse> {
  return owner.send('PUT', '/keys', { data: { key } }, owner.hostToken);
}

async function addSeason({ service }: Owner): Promise<string> {
  await storeEndedBoard(service, 'sprint', 4);
  await freezeBoards(service);
  return '/boards/sprint/seasons/1/corrections';
}

async function addDeadNotification({ service: { database } }: Owner): Promise<string> {
  const awarding = await prepareAwarding(database, () => new Date(), engines.name);
  await awarding.follow([{ name: 'hook', type: 'http', url: webhook.url, achievements: ['First'] }]);
  await awarding.award('First', ada.name);
  const { rows } = await database.pool.query<{ id: string }>("update notifications set state = 'dead' returning id");
  return `/notifications/${rows[0]?.id}/retry`;
}

/** The requests by which owners store something, by the operation ids of their routes. */
export const ownerWrites: Record<string, OwnerWrite> = {
  changeSettings: {
    prepare:
      async ({ send }) =>
      () =>
        send('PUT', '/settings', { hidden: true }),
  },
  createEmbed: {
    prepare:
      async ({ send }) =>
      () =>
        send('POST', '/embeds', image),
  },
  renewEmbed: {
    prepare: async (owner) => {
      const path = await addEmbed(owner);
      return () => owner.send('PUT', path);
    },
  },
  revokeEmbed: {
    prepare: async (owner) => {
      const path = await addEmbed(owner);
      return () => owner.send('DELETE', path);
    },
  },
  // The proof of the host stores the account before.
  registerKey: { after: 1, prepare: async (owner) => () => register(owner, pem(ed25519().publicKey)) },
  removeKey: {
    prepare: async (owner) => {
      const { id } = toData(await register(owner, pem(ed25519().publicKey)));
      return () => owner.send('DELETE', `/keys/${id}`);
    },
  },
  issueToken: {
    after: 1,
    prepare:
      async ({ send, hostToken }) =>
      () =>
        send('GET', '/token', undefined, hostToken),
  },
  revokeToken: {
    prepare:
      async ({ send, token }) =>
      () =>
        send('DELETE', `/tokens/${String(decode(token).payload['jti'])}`),
  },
  exportAccount: {
    prepare:
      async ({ send }) =>
      () =>
        send('GET', '/export'),
  },
  createWebhookSecret: {
    prepare:
      async ({ send }) =>
      () =>
        send('PUT', '/webhook-secrets', webhook),
  },
  removeWebhookSecret: {
    prepare: async ({ send }) => {
      const { id } = toData(await send('PUT', '/webhook-secrets', webhook));
      return () => send('DELETE', `/webhook-secrets/${id}`);
    },
  },
  retryNotification: {
    prepare: async (owner) => {
      const path = await addDeadNotification(owner);
      return () => owner.send('POST', path);
    },
  },
  putBoards: {
    prepare:
      async ({ send }) =>
      () =>
        send('PUT', '/boards', board),
  },
  deleteBoards: {
    prepare: async ({ send }) => {
      toData(await send('PUT', '/boards', board));
      return () => send('DELETE', '/boards');
    },
  },
  // The host confirms the administrator before.
  correctBoardSeason: {
    after: 1,
    prepare: async (owner) => {
      const path = await addSeason(owner);
      return () => owner.send('POST', path, { reason: 'A rule was wrong.' });
    },
  },
  revokeAward: {
    prepare: async ({ service, send }) => {
      const id = await award(service, 'Hero');
      return () => send('DELETE', `/achievements/${id}`, { reason: 'It was a mistake.' });
    },
  },
  restoreAward: {
    prepare: async ({ service, send }) => {
      const id = await award(service, 'Hero');
      await send('DELETE', `/achievements/${id}`, { reason: 'It was a mistake.' });
      return () => send('PUT', `/achievements/${id}`);
    },
  },
  // Another erasure has left nothing to erase.
  eraseAccount: {
    prepare:
      async ({ send }) =>
      () =>
        send('DELETE', ''),
    status: 204,
  },
};
