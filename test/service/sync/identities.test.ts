import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addRepository } from '../../../simulators/world/activity.ts';
import { deleteRepository, forcePush } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { untilCounted } from '../../contract/service-responses.ts';
import { createContractWorld } from '../../contract/world.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { engines } from '../../integration/access/owner.ts';
import { startSteppedService } from './stepped-service.ts';

const olive = { name: 'Olive', email: 'olive-admin@mail.example' };

describe('matching of collected commits with accounts at GitHub', () => {
  it('finds authors who were co-authors before, after a force push and a deletion during the read, and in data of an earlier release', async () => {
    const { world, now, advance, organization, repositories } = createContractWorld();
    const person = (login: string): { name: string; email: string } => {
      const email = `${login}@forge.test`;
      addAccount(world, { login, createdAt: now(), emails: [email] });
      return { name: login, email };
    };
    const add = (name: string) => addRepository(world, { ownerId: organization.id, name, createdAt: now() });
    // The service requests 50 authors of a commit from GitHub, so that this co-author is in no list.
    const late = person('late');
    const crowded = add('crowded');
    const coAuthors = Array.from({ length: 60 }, (_, index) => ({
      name: 'C',
      email: `crowd-${index}@elsewhere.example`,
    }));
    addCommit(world, crowded, { author: olive, coAuthors: [...coAuthors, late] });
    // This co-author has no account until the address authors a commit.
    const newcomer = person('newcomer');
    const account = world.accountByEmail(newcomer.email) ?? assert.fail();
    account.emails = [];
    const joined = add('joined');
    addCommit(world, joined, { author: olive, coAuthors: [newcomer] });
    const pusher = person('pusher');
    const pushed = add('pushed');
    for (const author of [olive, pusher, pusher]) addCommit(world, pushed, { author });
    // These authors are lost with a repository, and found in another one.
    const people = Array.from({ length: 15 }, (_, index) => person(`real-${index}`));
    const deleted = add('deleted');
    for (const author of people) addCommit(world, deleted, { author });
    const done = new Set<string>();
    const onFirstTime = (name: string, act: () => void): void => {
      if (!done.has(name)) act();
      done.add(name);
    };
    await using simulator = await startSimulator({
      world,
      now,
      onRequest: ({ name }) => {
        if (name !== 'CommitAuthors') return;
        onFirstTime('push', () => forcePush(world, pushed, 3, [olive.email, pusher.email]));
        onFirstTime('deletion', () => deleteRepository(world, deleted));
      },
    });
    await using service = await startSteppedService({ simulator, now });
    const untilResponsesMatchWorld = async (moment: string): Promise<void> => {
      advance(3601);
      await untilCounted({ world, service }, { name: engines.name, path: engines.name }, moment);
      await untilIdle(service);
    };
    // The list that holds the deleted repository stays incomplete until the next listing.
    await service.get(`${engines.name}/contributors`);
    await untilIdle(service);
    assert.deepEqual([...done], ['push', 'deletion']);
    for (let count = 0; count < 5; count += 1) addCommit(world, crowded, { author: late });
    account.emails = [newcomer.email];
    addCommit(world, joined, { author: newcomer });
    for (const author of people) addCommit(world, repositories.handbook, { author });
    await untilResponsesMatchWorld('all commits are counted for their authors');

    // The migration leaves addresses without an account in this state, with totals that lack their commits.
    const { connection, pool } = service.database;
    await pool.query('update identities set account_id = null, resolved_at = null');
    await pool.query('update repository_identities set attempts = 2, retry_at = $1', [
      new Date('2026-01-01T00:00:00Z'),
    ]);
    await pool.query("update streams set invalidated_at = known_until where name = 'commits'");
    const { rows } = await pool.query<{ id: string }>('select id from repositories');
    for (const { id } of rows) await inTransaction(connection, (transaction) => recountRepository(transaction, id));
    const { rows: before } = await pool.query('select 1 from contributor_totals where commits > 0');
    assert.deepEqual(before, []);
    await untilResponsesMatchWorld('the commits are counted again without a push');
  });
});
