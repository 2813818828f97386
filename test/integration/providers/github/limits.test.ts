import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fault } from '../../../../simulators/github/faults.ts';
import { type Simulator, startSimulator } from '../../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../../simulators/github/tokens.ts';
import { GitHubClient } from '../../../../src/hosts/github/client.ts';
import { resolveIdentities } from '../../../../src/hosts/github/identities.ts';
import { RestAccountPayload } from '../../../../src/hosts/github/payloads.ts';
import { listRepositories } from '../../../../src/hosts/github/repositories.ts';
import { readStream } from '../../../../src/hosts/github/streams/streams.ts';
import type { Call, KnownRepository } from '../../../../src/hosts/interface/provider.ts';
import { AppError } from '../../../../src/model/errors.ts';
import { clock } from '../../../time.ts';

interface ClientFixture extends AsyncDisposable {
  simulator: Simulator;
  client: GitHubClient;
  time: ReturnType<typeof clock>;
  call: Call;
}

async function openClient(tokens: TokenName[] = ['outsider']): Promise<ClientFixture> {
  const time = clock();
  const simulator = await startSimulator({ now: time.now });
  const secrets = tokens.map((name) => simulator.tokens[name]);
  const client = new GitHubClient({ apiUrl: simulator.apiUrl, tokens: secrets, connectTimeoutMs: 1000, now: time.now });
  return {
    simulator,
    client,
    time,
    call: { urgency: 'interactive', signal: new AbortController().signal, cost: { requests: 0, points: 0 } },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await simulator.close();
    },
  };
}

const listNotes = ({ accounts }: Simulator, { nodeId }: { nodeId: string }): KnownRepository => ({
  owner: accounts.user,
  name: 'notes',
  handle: nodeId,
  defaultBranch: 'main',
  credentialName: null,
});

const requestProfile = ({ client, call }: ClientFixture): Promise<unknown> =>
  client.rest('/users/ada-lovelace', RestAccountPayload, call);
const requestRepositories = ({ client, call, simulator }: ClientFixture) => {
  const owner = { externalId: '1', handle: '', type: 'user', name: simulator.accounts.user, memory: null } as const;
  return listRepositories(client, owner, null, call);
};

/** Asserts that a refused request is not sent again before the time that follows from the refusal. */
async function assertWaits(
  fixture: ClientFixture,
  request: (fixture: ClientFixture) => Promise<unknown>,
  fault: Fault,
  seconds: number,
): Promise<void> {
  fixture.simulator.faults.add(fault);
  const begun = fixture.time.now().getTime();
  await assert.rejects(request(fixture), (error: AppError) => {
    assert.equal(error.code, 'provider_rate_limited', fault.kind);
    assert.equal(((error.retryAt?.getTime() ?? 0) - begun) / 1000, seconds, fault.kind);
    return true;
  });
  const sent = fixture.simulator.requests.length;
  fixture.time.advance(seconds - 1);
  await assert.rejects(request(fixture), /used up/);
  assert.equal(fixture.simulator.requests.length, sent, 'nothing is sent before the time');
  fixture.time.advance(2);
  await request(fixture);
}

describe('limits of GitHub', () => {
  it('waits after a refusal as long as retry-after says, else until the reset, else a minute', async () => {
    for (const request of [requestProfile, requestRepositories]) {
      for (const [fault, seconds] of [
        [{ kind: 'secondary_limit', retryAfterS: 37 }, 37],
        [{ kind: 'primary_limit_429' }, 3600],
        [{ kind: 'primary_limit' }, 3600],
        [{ kind: 'secondary_limit_without_time' }, 60],
      ] as const) {
        await using fixture = await openClient();
        await assertWaits(fixture, request, fault, seconds);
      }
    }
  });

  it('caps a wait at an hour, and ignores an invalid one', async () => {
    for (const [fault, seconds] of [
      [{ kind: 'primary_limit_429', retryAfterS: 99_999_999_999 }, 3600],
      [{ kind: 'secondary_limit', retryAfterS: 99_999_999_999 }, 3600],
      [{ kind: 'primary_limit', resetS: 99_999_999_999 }, 3600],
      [{ kind: 'secondary_limit', retryAfterS: 'Mon, 15 Jun 2026 12:02:00 GMT' }, 120],
      [{ kind: 'secondary_limit', retryAfterS: -5 }, 60],
      [{ kind: 'secondary_limit', retryAfterS: 'later' }, 60],
    ] as const) {
      await using fixture = await openClient();
      await assertWaits(fixture, requestProfile, fault, seconds);
    }
  });

  it('obeys a limit in a response with status 200', async () => {
    for (const kind of ['primary_limit_in_200', 'secondary_limit_in_200'] as const) {
      await using fixture = await openClient();
      await assertWaits(fixture, requestRepositories, { kind }, 60);
    }
  });

  it('doubles the backoff after each refusal without a time', async () => {
    await using fixture = await openClient();
    fixture.simulator.faults.add({ kind: 'secondary_limit_without_time', times: 3 });
    for (const seconds of [60, 120, 240]) {
      const begun = fixture.time.now().getTime();
      await assert.rejects(
        requestProfile(fixture),
        (error: AppError) => error.retryAt?.getTime() === begun + seconds * 1000,
      );
      fixture.time.advance(seconds + 1);
    }
    await requestProfile(fixture);
  });

  it('continues with another token when one is limited', async () => {
    await using fixture = await openClient(['outsider', 'user']);
    fixture.simulator.faults.add({ kind: 'secondary_limit', times: 1 });
    await requestProfile(fixture);
    assert.equal(new Set(fixture.simulator.requests.map(({ token }) => token)).size, 2);
  });

  it('halves the page after a 502, a 504 or a resource limit instead of repeating the request', async () => {
    for (const kind of ['bad_gateway', 'gateway_timeout', 'resource_limits'] as const) {
      await using fixture = await openClient();
      const { simulator, client, call } = fixture;
      const repository = simulator.world.repository(simulator.accounts.user, 'notes') ?? assert.fail();
      const stored = listNotes(simulator, repository);
      simulator.faults.add({ kind, times: 3 });
      const position = { cursor: null, since: null, pageSize: null, isDeep: false };
      const page = await readStream(client, 'pull_requests', stored, position, call);
      const sizes = simulator.requests.map(({ variables }) => Object(variables).first);
      assert.deepEqual(sizes, [100, 50, 25, 12], kind);
      assert.equal(page.pageSize, 24, 'the next page is larger again');
    }
  });

  it('requests addresses in halves when one request exceeds the resource limits', async () => {
    await using fixture = await openClient();
    const { simulator, client, call } = fixture;
    const repository = simulator.world.repository(simulator.accounts.user, 'notes') ?? assert.fail();
    const stored = listNotes(simulator, repository);
    const identities = repository.commits.map(({ oid, author }) => ({ oid, email: author.email.toLowerCase() }));
    simulator.faults.add({ kind: 'resource_limits', on: 'CommitAuthors', times: 2 });
    const resolved = await resolveIdentities(client, stored, identities, call);
    for (const { email } of identities) {
      const owner = simulator.world.accountByEmail(email);
      const expected = owner === undefined || owner.type === 'Mannequin' ? null : String(owner.id);
      assert.equal(resolved.get(email)?.externalId ?? null, expected, email);
    }
    assert.ok(simulator.requests.filter(({ name }) => name === 'CommitAuthors').length >= 4);
  });

  it('repeats a request with a broken connection once', async () => {
    for (const kind of ['drop_before', 'drop_midway', 'drop_after', 'malformed', 'truncated'] as const) {
      await using fixture = await openClient();
      fixture.simulator.faults.add({ kind });
      await requestProfile(fixture);
      assert.equal(fixture.simulator.requests.length, 2, kind);
      fixture.simulator.faults.add({ kind, times: 2 });
      await assert.rejects(requestProfile(fixture), (error: AppError) =>
        ['provider_unavailable', 'provider_invalid_response'].includes(error.code),
      );
    }
  });

  it('ends a request without a response when the signal of the caller aborts', async () => {
    await using fixture = await openClient();
    fixture.simulator.faults.add({ kind: 'never' });
    const call = { ...fixture.call, signal: AbortSignal.timeout(200) };
    await assert.rejects(requestProfile({ ...fixture, call }), AppError);
  });

  it('reads quotas and scopes from the headers of each response', async () => {
    await using fixture = await openClient();
    await requestProfile(fixture);
    await requestRepositories(fixture);
    const [token] = fixture.client.credentials.tokens;
    assert.deepEqual(
      [token?.remaining('core')?.remaining, token?.remaining('graphql')?.remaining, token?.scopes],
      [4999, 5000 - (fixture.simulator.requests.at(-1)?.cost ?? 0), ['repo']],
    );
  });
});
