import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryGraphql, requestRest, start } from '../../../simulators/github/send-request.ts';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { star } from '../../../simulators/world/repository-changes.ts';

/** Makes a starred public repository of the organization and one of a person. */
function starred({ world, accounts }: Simulator): { ofOrganization: Repository; ofPerson: Repository } {
  const by = world.accountByLogin(accounts.empty) ?? assert.fail();
  const findRepository = (login: string): Repository => {
    const owner = world.accountByLogin(login) ?? assert.fail();
    return world.owned(owner).find(({ visibility }) => visibility === 'public') ?? assert.fail(login);
  };
  const repositories = {
    ofOrganization: findRepository(accounts.organization),
    ofPerson: findRepository(accounts.user),
  };
  for (const repository of Object.values(repositories)) star(world, repository, by);
  return repositories;
}

const query = `query ($id: ID!) {
  node(id: $id) { ... on Repository { stargazerCount } }
  list: node(id: $id) { ... on Repository { stargazers(first: 100) { totalCount edges { node { login } } } } }
}`;

interface Seen {
  count: unknown;
  logins: string[] | null;
  total: unknown;
  errors: string[];
}

async function listAs(simulator: Simulator, token: TokenName, { nodeId }: Repository): Promise<Seen> {
  const { body } = await queryGraphql(simulator, query, { token, variables: { id: nodeId } });
  const { node, list } = body.data as {
    node: { stargazerCount: number };
    list: { stargazers: { totalCount: number; edges: { node: { login: string } }[] } } | null;
  };
  return {
    count: node.stargazerCount,
    logins: list && list.stargazers.edges.map((edge) => edge.node.login),
    total: list?.stargazers.totalCount,
    errors: (body.errors ?? []).map(({ type, path, message }) => `${type} ${path?.join('.')}: ${message}`),
  };
}

describe('stargazers of the simulated GitHub', () => {
  it('lists stargazers for administrators and collaborators, and returns an empty list and the number to others', async () => {
    await using simulator = await start();
    const { world, accounts } = simulator;
    const { ofOrganization, ofPerson } = starred(simulator);
    const count = world.starsOf(ofOrganization).length;
    assert.ok(count > 1);
    const listed = await listAs(simulator, 'organization_admin', ofOrganization);
    assert.deepEqual([listed.count, listed.total, listed.logins?.length], [count, count, count]);
    assert.ok(listed.logins?.includes(accounts.empty));
    const empty = { count, logins: [], total: 0, errors: [] };
    for (const token of ['organization_member', 'organization_pending', 'outsider', 'user'] as const) {
      assert.deepEqual(await listAs(simulator, token, ofOrganization), empty, token);
    }
    ofOrganization.collaboratorIds.push(world.accountByLogin(accounts.outsider)?.id ?? 0);
    assert.equal((await listAs(simulator, 'outsider', ofOrganization)).logins?.length, count);
    assert.ok((await listAs(simulator, 'public_only', ofPerson)).logins?.includes(accounts.empty));
  });

  it('refuses fine-grained tokens unless they may write contents', async () => {
    await using simulator = await start();
    const { world, accounts } = simulator;
    const owner = world.accountByLogin(accounts.private_owner) ?? assert.fail();
    const [repository] = world.owned(owner);
    assert.ok(repository);
    star(world, repository, world.accountByLogin(accounts.empty) ?? assert.fail());
    assert.deepEqual(await listAs(simulator, 'private_owner', repository), {
      count: 1,
      logins: null,
      total: undefined,
      errors: ['FORBIDDEN list.stargazers: Resource not accessible by personal access token'],
    });
    assert.deepEqual((await listAs(simulator, 'private_owner_writing', repository)).logins, [accounts.empty]);
  });

  it("refuses an installation, regardless of the App's permissions", async () => {
    await using simulator = await start();
    const { world, app, accounts } = simulator;
    const { ofOrganization } = starred(simulator);
    const installation = app.install(world.accountByLogin(accounts.organization) ?? assert.fail());
    const { token } = app.issueToken(installation);
    const response = await fetch(`${simulator.apiUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `bearer ${token}` },
      body: JSON.stringify({ query, variables: { id: ofOrganization.nodeId } }),
    });
    const { data, errors } = (await response.json()) as { data: unknown; errors: { type: string; message: string }[] };
    assert.deepEqual(data, { node: { stargazerCount: world.starsOf(ofOrganization).length }, list: null });
    assert.deepEqual(
      errors.map(({ type, message }) => [type, message]),
      [['FORBIDDEN', 'Resource not accessible by integration']],
    );
  });

  it('lists stargazers over REST for collaborators, and responds to others with 404, 401 and 403', async () => {
    await using simulator = await start();
    const { accounts } = simulator;
    const { ofOrganization, ofPerson } = starred(simulator);
    const path = `/repos/${accounts.organization}/${ofOrganization.name}/stargazers?per_page=100`;
    const listed = (await (await requestRest(simulator, path, 'organization_admin')).json()) as {
      starred_at: string;
    }[];
    assert.equal(listed.length, simulator.world.starsOf(ofOrganization).length);
    assert.equal((await requestRest(simulator, path, 'outsider')).status, 404);
    assert.equal((await requestRest(simulator, path)).status, 401);
    const refused = await requestRest(simulator, path, 'private_owner');
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get('x-accepted-github-permissions'), 'metadata=read; contents=write');
    const response = await requestRest(simulator, `/repos/${accounts.user}/${ofPerson.name}`);
    const { stargazers_count: count } = (await response.json()) as { stargazers_count: number };
    assert.equal(count, simulator.world.starsOf(ofPerson).length);
  });
});
