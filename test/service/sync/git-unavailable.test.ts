import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { checkStreams } from '../../../src/app/doctor/checks/collecting.ts';
import { findCollectingState } from '../../../src/app/owners/status/store.ts';
import * as gitea from '../../e2e/gitea/fixture.ts';
import * as gitlab from '../../e2e/gitlab/fixture.ts';
import { organization } from '../../e2e/installations/installed.ts';
import type { TestService } from '../../e2e/service.ts';
import { startLostHost, startMuteHost } from '../../silent-host.ts';
import { withSteppedGitea, withSteppedGitLab } from './stepped-hosts.ts';
import { startSteppedService } from './stepped-service.ts';

interface Tried {
  service: TestService;
  /** The repositories that git cannot read just now. */
  unavailable: Set<Repository>;
  repository: Repository;
  /** The address of the owner. */
  owner: string;
}

/** Reads a repository of which git cannot read the history, and again after git is back. */
async function readWithoutGit({ service, unavailable, repository, owner }: Tried): Promise<void> {
  const path = `${owner}/contributors?repository=${repository.name}`;
  // Another address is another response than a cached one.
  const read = async (limit: number): Promise<{ failures: object[]; missing: string[] | undefined }> => {
    await service.get(`${path}&limit=${limit}`);
    const { body } = await service.get(`${path}&limit=${limit}`);
    const { rows } = await service.database.pool.query<object>(
      `select s.name, s.failure, s.failing_since is not null as since from streams s join repositories r on r.id = s.repository_id
       where r.name = $1 and (s.failure is not null or s.completed_at is null) order by s.name`,
      [repository.name],
    );
    return { failures: rows, missing: body.meta_data.missing };
  };
  unavailable.add(repository);
  assert.deepEqual(await read(50), {
    failures: [{ name: 'commits', failure: 'provider_unavailable', since: true }],
    missing: ['commits'],
  });
  unavailable.clear();
  // The failure stands for a while.
  await service.database.pool.query("update lookups set retry_at = '2000-01-01'");
  assert.deepEqual(await read(60), { failures: [], missing: undefined });
}

describe('reading of repositories whose history git cannot fetch', () => {
  it('reads everything else at GitHub, and says since when the history fails', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedService({ simulator });
    const owned = simulator.world.owned(organization(simulator));
    const repository = owned.find(({ name }) => name === 'engine-1') ?? assert.fail();
    const owner = `/v1/github/entities/${simulator.accounts.organization}`;
    await readWithoutGit({ service, unavailable: simulator.gitUnavailable, repository, owner });
  });

  it('reads everything else at Gitea, and says since when the history fails', async () => {
    await withSteppedGitea(({ service, simulator, repositories: { handbook }, organization: { login } }) =>
      readWithoutGit({
        service,
        unavailable: simulator.gitUnavailable,
        repository: handbook,
        owner: gitea.entity(login),
      }),
    );
  });

  it('reads everything else at GitLab, and says since when the history fails', async () => {
    await withSteppedGitLab(({ service, simulator, repositories: { handbook }, organization: { login } }) =>
      readWithoutGit({
        service,
        unavailable: simulator.gitUnavailable,
        repository: handbook,
        owner: gitlab.entity(login),
      }),
    );
  });

  it('reads everything else of all repositories where git reads none of them', async () => {
    await using simulator = await startSimulator({ repositories: 5 });
    await using service = await startSteppedService({ simulator });
    for (const repository of simulator.world.owned(organization(simulator))) simulator.gitUnavailable.add(repository);
    await service.get(`/v1/github/entities/${simulator.accounts.organization}/contributors`);
    const { rows } = await service.database.pool.query<{ name: string; failure: string | null }>(
      `select distinct s.name, s.failure from streams s join repositories r on r.id = s.repository_id
       where s.completed_at is null and r.deleted_at is null`,
    );
    assert.deepEqual(rows, [{ name: 'commits', failure: 'provider_unavailable' }]);
  });

  for (const [kind, start] of [
    ['accepts connections and sends nothing', startMuteHost],
    ['loses all packets', startLostHost],
  ] as const) {
    it(`reads everything else, and names the failure, where the host of git ${kind}`, async () => {
      await using simulator = await startSimulator({ repositories: 2 });
      await using host = await start();
      const silent = {
        url: `http://127.0.0.1:${host.port}`,
        apiUrl: simulator.apiUrl,
        tokens: simulator.tokens,
      };
      await using service = await startSteppedService({ simulator: silent, gitFirstResponseMs: 500 });
      const { connection, pool } = service.database;
      const { body } = await service.get(`${simulator.accounts.organization}/contributors?limit=100`);
      assert.deepEqual(body.meta_data.missing, ['commits']);
      assert.ok(body.data.length > 0, 'people of issues are listed');
      const { rows } = await pool.query(
        `select distinct s.name, s.failure, s.failure_reason from streams s join repositories r on r.id = s.repository_id
         where (s.completed_at is null or s.failure is not null) and r.deleted_at is null`,
      );
      const failure_reason = 'git gets no response from the host.';
      assert.deepEqual(rows, [{ name: 'commits', failure: 'provider_unavailable', failure_reason }]);
      assert.equal((await checkStreams(connection, new Date()))[0]?.code, 'streams_read');
      const [finding] = await checkStreams(connection, new Date(Date.now() + 11 * 60_000));
      assert.deepEqual([finding?.code, finding?.subject], ['stream_failing', 'github: commits']);
      assert.match(finding?.message ?? '', /git gets no response from the host/);
      const account = await findByName(connection, 'github', simulator.accounts.organization);
      assert.ok(account?.state === 'present');
      assert.ok((await findCollectingState(connection, account.account.id)).failingStreams > 0, 'the status counts it');
    });
  }
});
