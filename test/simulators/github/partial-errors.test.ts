import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { now, queryGraphql, requestRest } from '../../../simulators/github/send-request.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import type { Account, Issue, Repository } from '../../../simulators/world/model.ts';
import { closeItem } from '../../../simulators/world/mutations.ts';

/** Starts a simulator whose organization refuses every token. */
async function startRefusing(refusal: 'saml' | 'ip_allow_list'): Promise<Simulator> {
  const simulator = await startSimulator({ now });
  simulator.refusing.refuse(simulator.accounts.organization, refusal);
  return simulator;
}

const withoutLocations = (errors: object[] = []): object[] =>
  errors.map((error) => Object.fromEntries(Object.entries(error).filter(([name]) => name !== 'locations')));

const findAccount = ({ world }: Simulator, login: string): Account => {
  const found = world.accountByLogin(login);
  assert.ok(found);
  return found;
};

const findRepository = ({ world }: Simulator, owner: Account): Repository => {
  const found = world
    .owned(owner)
    .find(({ visibility, pullRequests }) => visibility === 'public' && pullRequests.length);
  assert.ok(found);
  return found;
};

describe('refusals of the simulated GitHub', () => {
  it('returns null for a refused node, and the other data of the query', async () => {
    await using simulator = await startRefusing('saml');
    const organization = findAccount(simulator, simulator.accounts.organization);
    const refused = findRepository(simulator, organization);
    const user = findAccount(simulator, simulator.accounts.user);
    const query = `query { nodes(ids: ["${user.nodeId}", "${refused.nodeId}"]) { id } organization(login: "${organization.login}") { login } }`;
    const { status, body } = await queryGraphql(simulator, query);
    assert.equal(status, 200);
    assert.deepEqual(body.data, { nodes: [{ id: user.nodeId }, null], organization: null });
    const message =
      'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.';
    const errors = withoutLocations(body.errors);
    const shared = { type: 'FORBIDDEN', extensions: { saml_failure: true }, message };
    assert.deepEqual(errors, [
      { ...shared, path: ['nodes', 1] },
      { ...shared, path: ['organization'] },
    ]);
  });

  it('returns null for a user whose contributions name a repository of a refusing organization', async () => {
    await using simulator = await startRefusing('ip_allow_list');
    const organization = findAccount(simulator, simulator.accounts.organization);
    const repository = findRepository(simulator, organization);
    const user = findAccount(simulator, simulator.accounts.user);
    addIssue(simulator.world, repository, { author: user });
    const collection = 'contributionsCollection { issueContributionsByRepository { repository { databaseId } } }';
    const { body } = await queryGraphql(simulator, `query { user(login: "${user.login}") { login ${collection} } }`);
    assert.deepEqual(body.data, { user: null });
    const [error] = body.errors ?? [];
    assert.equal(error?.type, 'FORBIDDEN');
    assert.match(error.message, /the `analytical-engines` organization has an IP allow list enabled/);
    assert.deepEqual(error.path?.slice(0, 2), ['user', 'contributionsCollection']);
  });

  it('returns null for the closer of an issue when it belongs to a refusing organization', async () => {
    await using simulator = await startRefusing('saml');
    const { world } = simulator;
    const user = findAccount(simulator, simulator.accounts.user);
    const ofRefusingOrganization = findRepository(simulator, findAccount(simulator, simulator.accounts.organization));
    const here = findRepository(simulator, user);
    const issue: Issue = addIssue(world, here, { author: user });
    const [pull] = ofRefusingOrganization.pullRequests;
    assert.ok(pull);
    closeItem(world, issue, { closer: pull });
    const closed =
      'timelineItems(first: 1, itemTypes: [CLOSED_EVENT]) { nodes { ... on ClosedEvent { closer { __typename } } } }';
    const { body } = await queryGraphql(
      simulator,
      `query { node(id: "${issue.nodeId}") { ... on Issue { number ${closed} } } }`,
    );
    assert.deepEqual(body.data, { node: { number: issue.number, timelineItems: { nodes: [{ closer: null }] } } });
    assert.equal(body.errors?.length, 1);
  });

  it('refuses REST requests with a token to a refusing organization with 403, and serves those without a token', async () => {
    await using simulator = await startRefusing('saml');
    const repository = findRepository(simulator, findAccount(simulator, simulator.accounts.organization));
    const path = `/repos/${simulator.accounts.organization}/${repository.name}`;
    const refused = await requestRest(simulator, path, 'outsider');
    assert.equal(refused.status, 403);
    assert.match(refused.headers.get('x-github-sso') ?? '', /^required; url=/);
    assert.equal((await requestRest(simulator, path)).status, 200);
    simulator.refusing.allow(simulator.accounts.organization);
    assert.equal((await requestRest(simulator, path, 'outsider')).status, 200);
  });

  it('sets and removes refusals of an organization over HTTP', async () => {
    await using simulator = await startSimulator({ now });
    const { organization } = simulator.accounts;
    const post = (body: object): Promise<Response> =>
      fetch(`${simulator.url}/_simulator/refusals`, { method: 'POST', body: JSON.stringify(body) });
    assert.equal((await post({ login: organization, reason: 'saml', tokens: ['outsider'] })).status, 200);
    assert.equal((await requestRest(simulator, `/orgs/${organization}`, 'outsider')).status, 403);
    assert.equal((await requestRest(simulator, `/orgs/${organization}`, 'user')).status, 200);
    assert.equal((await post({ login: organization })).status, 200);
    assert.equal((await requestRest(simulator, `/orgs/${organization}`, 'outsider')).status, 200);
    assert.equal((await post({ login: organization, reason: 'mood' })).status, 400);
  });

  it('nulls the nearest nullable field for a field fault, and names the path of the failed field in the error', async () => {
    await using simulator = await startSimulator({ now });
    simulator.faults.add({ kind: 'field_error', fields: ['user.y2020'] });
    const { body } = await queryGraphql(simulator, query);
    assert.deepEqual(body.data, { user: null });
    assert.deepEqual(withoutLocations(body.errors), [
      {
        type: 'RESOURCE_LIMITS_EXCEEDED',
        path: ['user', 'y2020'],
        message: 'Resource limits for this query exceeded.',
      },
    ]);
    assert.equal((await queryGraphql(simulator, query)).body.errors, undefined);
  });

  it('matches the field of a field fault by its type and its arguments', async () => {
    await using simulator = await startSimulator({ now });
    const where = { from: '2021-01-01T00:00:00Z' };
    simulator.faults.add({ kind: 'field_error', fields: ['User.contributionsCollection'], where, error: 'timeout' });
    const { body } = await queryGraphql(simulator, query);
    assert.deepEqual(body.errors?.[0]?.path, ['user', 'y2021']);
    assert.match(body.errors?.[0]?.message ?? '', /^Something went wrong while executing your query/);
    assert.equal(body.errors?.[0]?.type, undefined);
  });

  it('returns zero and an error without a path for a field fault with the value zero', async () => {
    await using simulator = await startSimulator({ now });
    const fields = ['ContributionsCollection.totalCommitContributions'];
    simulator.faults.add({ kind: 'field_error', fields, value: 0 });
    const { body } = await queryGraphql(simulator, query);
    const { user } = body.data as { user: Record<string, { totalCommitContributions?: number }> };
    assert.equal(user['y2020']?.totalCommitContributions, 0);
    assert.equal(body.errors?.length, 2);
    assert.ok(body.errors?.every((error) => !('path' in error) && error.type === 'RESOURCE_LIMITS_EXCEEDED'));
  });

  it('reports a page that is too large when a field fault says so', async () => {
    await using simulator = await startSimulator({ now });
    simulator.faults.add({ kind: 'field_error', fields: ['Repository.issues'], error: 'excessive_pagination' });
    const owner = findAccount(simulator, simulator.accounts.user);
    const { name } = findRepository(simulator, owner);
    const { body } = await queryGraphql(
      simulator,
      `query { repository(owner: "${owner.login}", name: "${name}") { issues(first: 50) { totalCount } } }`,
    );
    assert.deepEqual(body.data, { repository: null });
    assert.equal(body.errors?.[0]?.type, 'EXCESSIVE_PAGINATION');
  });

  it('fails the whole query with status 200 when a fault says so', async () => {
    await using simulator = await startSimulator({ now });
    simulator.faults.add({ kind: 'timeout_in_200' });
    simulator.faults.add({ kind: 'internal_in_200' });
    const [timeout, internal] = [await queryGraphql(simulator, query), await queryGraphql(simulator, query)];
    assert.equal(timeout.status, 200);
    assert.equal(timeout.body.data, null);
    assert.equal(timeout.body.errors?.[0]?.type, undefined);
    assert.equal(internal.body.errors?.[0]?.type, 'INTERNAL');
  });
});

const query = `query {
  user(login: "ada-lovelace") {
    login
    y2020: contributionsCollection(from: "2020-01-01T00:00:00Z") { totalCommitContributions }
    y2021: contributionsCollection(from: "2021-01-01T00:00:00Z") { totalCommitContributions }
    issues { totalCount }
  }
}`;
