import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../../simulators/github/simulator.ts';
import type { Exchange } from '../../../../simulators/host.ts';
import { createGitHubProvider } from '../../../../src/hosts/github/provider.ts';
import type { SkippedPart } from '../../../../src/hosts/interface/call.ts';
import type { Call, KnownAccount, KnownRepository, Provider } from '../../../../src/hosts/interface/provider.ts';
import { newCall } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';

const saml =
  'Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization.';

type Path = (string | number)[];
interface GraphqlError {
  type: string;
  message: string;
  path?: Path;
}
interface Answer {
  data: Record<string, unknown>;
  errors?: GraphqlError[];
}

interface Known {
  provider: Provider;
  call: Call;
  user: KnownAccount;
  organization: KnownAccount;
  repository: KnownRepository;
  oid: string;
}

interface Request {
  /** The field of the response that is the requested object. */
  root: string;
  send: (known: Known) => Promise<unknown>;
}

const position = { cursor: null, since: null, pageSize: null, isDeep: true };
const ofStream = (stream: string): Request => ({
  root: 'node',
  send: ({ provider, repository, call }) =>
    (provider.streams ?? assert.fail()).read(stream, repository, position, call),
});
const findLast = async <Item>(items: AsyncGenerator<Item, void, undefined>): Promise<Item | undefined> => {
  let last: Item | undefined;
  for await (const item of items) last = item;
  return last;
};

/** One request for each document whose response could be taken for an absent object. */
const requests: Record<string, Request> = {
  Issues: ofStream('issues'),
  PullRequests: ofStream('pull_requests'),
  Discussions: ofStream('discussions'),
  'Stars StarCount': ofStream('stars'),
  RepositoryTip: {
    root: 'node',
    send: ({ provider, repository, call }) => (provider.polls ?? assert.fail()).readTip(repository, call),
  },
  RepositoryTotals: {
    root: 'node',
    send: ({ provider, repository, call }) => (provider.polls ?? assert.fail()).readTotals(repository, call),
  },
  RepositoryFiles: {
    root: 'node',
    send: ({ provider, repository, call }) => (provider.files ?? assert.fail()).read(repository, ['README.md'], call),
  },
  NamedRepository: {
    root: 'repository',
    send: ({ provider, organization, repository, call }) =>
      provider.repositories.find(organization, repository.name, { withPrivate: false }, call),
  },
  OwnedRepositories: {
    root: 'repositoryOwner',
    send: ({ provider, organization, call }) => provider.repositories.list(organization, null, call),
  },
  Account: {
    root: 'account',
    send: ({ provider, user, call }) => findLast(provider.accounts.lookUp(user.name, call)),
  },
  'Account by id': {
    root: 'account',
    send: ({ provider, user, call }) => findLast(provider.accounts.refresh(user, call)),
  },
  Calendar: {
    root: 'node',
    send: async ({ provider, user, call }) => provider.accounts.fetchCalendar?.(user, call),
  },
  DayCounts: {
    root: 'node',
    send: async ({ provider, user, call }) =>
      provider.accounts.countDays?.(user, { first: '2025-03-01', last: '2025-03-31' }, call),
  },
  CommitAuthors: {
    root: 'repository',
    send: ({ provider, repository, oid, call }) =>
      (provider.history ?? assert.fail()).resolveIdentities(repository, [{ email: 'ada@mail.example', oid }], call),
  },
  LineCounts: {
    root: 'repository',
    send: ({ provider, repository, oid, call }) =>
      (provider.details ?? assert.fail()).readLineCounts(repository, [oid], call),
  },
  ChangedFiles: {
    root: 'repository',
    send: ({ provider, repository, call }) =>
      (provider.details ?? assert.fail()).readChangedFiles(repository, ['1'], call),
  },
};

/** Sends a request to a simulated GitHub whose responses to operations are changed. */
async function sendChanged(
  send: Request['send'],
  change: (exchange: Exchange, answer: Answer) => Answer,
): Promise<{ result: unknown; skipped: SkippedPart[] }> {
  const { world, now, people, organization, repositories } = createContractWorld();
  const rewrite = (exchange: Exchange): unknown =>
    exchange.query === undefined ? exchange.body : change(exchange, structuredClone(exchange.body) as Answer);
  await using simulator = await startSimulator({ world, now, rewrite });
  const provider = createGitHubProvider({
    name: 'github',
    url: simulator.url,
    apiUrl: simulator.apiUrl,
    tokens: [simulator.tokens.public_only],
    webhookSecret: undefined,
    app: undefined,
    connectTimeoutMs: 2000,
    now,
  });
  const { nodeId: handle, name, defaultBranch, commits } = repositories.handbook;
  const toAccount = ({ id, nodeId, login }: typeof organization, type: KnownAccount['type']): KnownAccount => ({
    externalId: String(id),
    handle: nodeId,
    type,
    name: login,
    memory: null,
  });
  const skipped: SkippedPart[] = [];
  const known: Known = {
    provider,
    call: { ...newCall(), onSkipped: (part) => void skipped.push(part) },
    user: toAccount(people.ada, 'user'),
    organization: toAccount(organization, 'organization'),
    repository: { owner: organization.login, name, handle, defaultBranch, credentialName: null },
    oid: commits.at(0)?.oid ?? assert.fail(),
  };
  try {
    return { result: await send(known), skipped };
  } finally {
    await provider.close();
  }
}

/** Makes the requested object null, as an error explains. */
const refusing =
  ({ root }: Request, error: (root: string) => GraphqlError) =>
  (_exchange: Exchange, { data }: Answer): Answer => ({ data: { ...data, [root]: null }, errors: [error(root)] });

describe('objects that GitHub refuses', () => {
  for (const [documents, request] of Object.entries(requests)) {
    it(`takes no refused object of ${documents} for an absent one`, async () => {
      const forbidden = refusing(request, (root) => ({ type: 'FORBIDDEN', message: saml, path: [root] }));
      await assert.rejects(sendChanged(request.send, forbidden), { code: 'provider_denied', reason: saml });
    });

    it(`takes no object of ${documents} for absent because of an error below it`, async () => {
      const failed = refusing(request, (root) => ({ type: 'INTERNAL', message: 'x', path: [root, 'id'] }));
      await assert.rejects(sendChanged(request.send, failed), { code: 'provider_unavailable' });
      const missing = refusing(request, (root) => ({ type: 'NOT_FOUND', message: 'x', path: [root, 'id', 'text'] }));
      await assert.rejects(sendChanged(request.send, missing), { code: /provider_(denied|invalid_response)/ });
    });

    it(`takes no object of ${documents} for absent beside an error without a path`, async () => {
      const unlocated = refusing(request, () => ({ type: 'FORBIDDEN', message: saml }));
      await assert.rejects(sendChanged(request.send, unlocated), { code: 'provider_denied' });
    });
  }

  it('still takes an object for absent that GitHub does not find', async () => {
    const request = requests['NamedRepository'] ?? assert.fail();
    const notFound = refusing(request, (root) => ({ type: 'NOT_FOUND', message: 'x', path: [root] }));
    assert.equal((await sendChanged(request.send, notFound)).result, null);
  });

  it('checks accounts by REST that GraphQL refuses, and takes none of them for deleted', async () => {
    const check: Request['send'] = async ({ provider, user, call }) => provider.accounts.check?.([user], call);
    const { result } = await sendChanged(check, (_exchange, { data }) => ({
      data: { ...data, nodes: [null] },
      errors: [{ type: 'FORBIDDEN', message: saml, path: ['nodes', 0, 'avatarUrl'] }],
    }));
    assert.deepEqual(
      [...(result as Map<string, { name: string } | null>).values()].map((account) => account?.name),
      ['ada-lovelace'],
    );
  });
});

describe('nulls that GitHub moved upwards from an error', () => {
  it('leaves out an issue whose author is null because of an error below the author', async () => {
    const page = (data: Answer['data']) => (data['node'] as { page: { nodes: { author: unknown }[] } }).page;
    const { result, skipped } = await sendChanged(ofStream('issues').send, (_exchange, { data }) => {
      const [first = assert.fail()] = page(data).nodes;
      first.author = null;
      const path = ['node', 'page', 'nodes', 0, 'author', 'avatarUrl'];
      return { data, errors: [{ type: 'INTERNAL', message: 'x', path }] };
    });
    const whole = await sendChanged(ofStream('issues').send, (_exchange, answer) => answer);
    const toCount = (read: unknown) => (read as { contributions: unknown[] }).contributions.length;
    assert.equal(toCount(result), toCount(whole.result) - 1);
    assert.deepEqual(
      skipped.map(({ kind, reason, isStored, isCounted }) => ({ kind, reason, isStored, isCounted })),
      [{ kind: 'issue', reason: 'unreadable', isStored: false, isCounted: false }],
    );
  });

  it('leaves out a repository whose branch is null because of an error below the branch', async () => {
    const { send } = requests['OwnedRepositories'] ?? assert.fail();
    const { result, skipped } = await sendChanged(send, (_exchange, { data }) => {
      const owner = data['repositoryOwner'] as { repositories: { nodes: Record<string, unknown>[] } };
      const index = owner.repositories.nodes.findIndex(({ name }) => name === 'handbook');
      Object.assign(owner.repositories.nodes[index] ?? assert.fail(), { defaultBranchRef: null });
      const path = ['repositoryOwner', 'repositories', 'nodes', index, 'defaultBranchRef', 'name'];
      return { data, errors: [{ type: 'INTERNAL', message: 'x', path }] };
    });
    const { repositories } = result as { repositories: { name: string }[] };
    assert.deepEqual(
      repositories.map(({ name }) => name),
      ['empty'],
    );
    assert.deepEqual(
      skipped.map(({ kind, isStored }) => ({ kind, isStored })),
      [{ kind: 'repository', isStored: false }],
    );
  });

  it('requests a year again in parts whose numbers are null because of an error below it', async () => {
    const { send } = requests['Account'] ?? assert.fail();
    const isWhole = (result: unknown): boolean =>
      !(result as { missing: string[] }).missing.some((name) => name === 'commits');
    let failures = 0;
    const { result } = await sendChanged(send, ({ query }, { data, ...answer }) => {
      const account = data['account'] as Record<string, unknown> | null;
      if (failures > 0 || !query?.includes('w0:') || account === null) return { data, ...answer };
      failures += 1;
      account['w0'] = null;
      const path = ['account', 'w0', 'totalCommitContributions'];
      return { data, errors: [{ type: 'INTERNAL', message: 'x', path }] };
    });
    assert.equal(failures, 1);
    assert.ok(isWhole(result));
  });

  it('reports an error without a path, and stores everything that is there', async () => {
    const { result, skipped } = await sendChanged(ofStream('issues').send, (_exchange, { data }) => ({
      data,
      errors: [{ type: 'FORBIDDEN', message: saml }],
    }));
    assert.ok((result as { contributions: unknown[] }).contributions.length > 0);
    assert.deepEqual(
      skipped.map(({ reason, path, explanation }) => ({ reason, path, explanation })),
      [{ reason: 'refused', path: '/', explanation: saml }],
    );
  });
});
