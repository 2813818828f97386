import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { engines } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { type SteppedService, startSteppedService } from './stepped-service.ts';

/** Returns a public repository of the organization with issues and commits. */
function publicRepository({ world }: Simulator): Repository {
  const owned = world.repositories.filter(({ visibility, isFork }) => visibility === 'public' && !isFork);
  const owner = world.accountByLogin(engines.name);
  return (
    owned.find(({ ownerId, issues, commits }) => ownerId === owner?.id && issues.length > 0 && commits.length > 0) ??
    assert.fail()
  );
}

async function findState({ database }: SteppedService, { id }: Repository) {
  const { rows } = await database.pool.query<{ isDeleted: boolean; failures: string[] }>(
    `select r.deleted_at is not null as "isDeleted",
       array(select distinct s.failure || ': ' || s.failure_reason from streams s
         where s.repository_id = r.id and s.failure is not null order by 1) as failures
     from repositories r where r.external_id = $1`,
    [String(id)],
  );
  return rows[0] ?? assert.fail();
}

describe('stored repositories that their host refuses', () => {
  it('stay shown, with the reason in streams and log, until the host shows them again', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    const repository = publicRepository(simulator);
    const path = `${engines.name}/contributors?repository=${repository.name}`;
    const before = await service.getComplete(path);
    assert.ok(before.body.data.length > 0);

    simulator.refusing.refuse(engines.name, 'saml');
    advance(3700);
    const after = await service.getAfterWork(path);
    assert.deepEqual([after.status, after.body.data], [200, before.body.data]);
    const { isDeleted, failures } = await findState(service, repository);
    assert.equal(isDeleted, false);
    assert.match(failures.join(), /^provider_denied: Resource protected by organization SAML enforcement/);
    assert.match(service.lines.join(''), /You must grant your Personal Access token access/);

    simulator.refusing.allow(engines.name);
    advance(3700);
    await service.getAfterWork(path);
    assert.deepEqual(await findState(service, repository), { isDeleted: false, failures: [] });
  });

  it('stay shown when git does not show them and the check for them is refused', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    const repository = publicRepository(simulator);
    simulator.withoutGit.add(repository);
    simulator.faults.add({
      kind: 'field_error',
      error: 'forbidden',
      on: 'NamedRepository',
      fields: ['Query.repository'],
      where: {},
      times: 1000,
    });
    await service.getAfterWork(`${engines.name}/contributors`);
    const { isDeleted, failures } = await findState(service, repository);
    assert.equal(isDeleted, false);
    assert.match(failures.join(), /^not_found: /);
  });
});
