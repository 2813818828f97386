import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recorded } from '../../../../simulators/gitea/recordings.ts';
import { type GiteaSimulator, startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import { addIssue } from '../../../../simulators/world/activity.ts';
import { addComment, deleteComment } from '../../../../simulators/world/comments.ts';
import { deleteItem } from '../../../../simulators/world/mutations.ts';
import { Random } from '../../../../simulators/world/random.ts';
import type { ProviderWith } from '../../../../src/hosts/interface/provider.ts';
import { newCall } from '../../../contract/host.ts';
import { listIds, readAll } from '../../../contract/read-all.ts';
import { type ContractWorld, createContractWorld, toHandbook, toOrganization } from '../../../contract/world.ts';
import { assertListedWhileRemoving } from '../list-while-removing.ts';
import { giteaProvider } from './gitea-provider.ts';

/** Tests lists that change while they are read, and pages that are smaller than requested. */

interface Fixture extends ContractWorld {
  simulator: GiteaSimulator;
  provider: ProviderWith<'streams'>;
}

async function withFixture(maxPerPage: number, check: (fixture: Fixture) => Promise<void>): Promise<void> {
  const world = createContractWorld();
  await using simulator = await startGiteaSimulator({ world: world.world, maxPerPage });
  await using provider = giteaProvider(simulator, { now: world.now });
  await check({ ...world, simulator, provider });
}

describe('lists of Gitea', () => {
  it('reads all issues although Gitea silently returns smaller pages than requested', async () => {
    await withFixture(3, async (fixture) => {
      const { handbook } = fixture.repositories;
      for (let count = 0; count < 10; count += 1) addIssue(fixture.world, handbook, { author: fixture.people.ada });
      assert.deepEqual([...(await readAll(fixture, 'issues'))].toSorted(), listIds(handbook.issues).toSorted());
    });
  });

  it('skips no remaining issue while others are added and deleted', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      await withFixture(3, async (fixture) => {
        const random = new Random(seed);
        const { handbook } = fixture.repositories;
        for (let count = 0; count < 20; count += 1) {
          fixture.advance(1);
          addIssue(fixture.world, handbook, { author: fixture.people.ada });
        }
        const before = [...handbook.issues];
        let happenings = 0;
        const seen = await readAll(fixture, 'issues', {
          meanwhile: () => {
            happenings += 1;
            if (happenings > 12) return;
            fixture.advance(1);
            if (random.chance(0.5)) addIssue(fixture.world, handbook, { author: fixture.people.max });
            for (let count = random.integer(0, 3); count > 0; count -= 1) {
              const deleted = random.pickIfAny(handbook.issues);
              if (deleted) deleteItem(fixture.world, handbook, deleted);
            }
          },
        });
        const remaining = before.filter((issue) => handbook.issues.includes(issue));
        assert.deepEqual(
          listIds(remaining).filter((id) => !seen.has(id)),
          [],
          `seed ${seed}`,
        );
      });
    }
  });

  it('skips no remaining comment while others are added and deleted', async () => {
    for (let seed = 1; seed <= 8; seed += 1) {
      await withFixture(2, async (fixture) => {
        const random = new Random(seed);
        const [issue] = fixture.issues;
        assert.ok(issue);
        for (let count = 0; count < 12; count += 1) {
          fixture.advance(1);
          addComment(fixture.world, issue, { author: fixture.people.ada });
        }
        const before = [...issue.comments];
        let happenings = 0;
        const seen = await readAll(fixture, 'comments', {
          meanwhile: () => {
            happenings += 1;
            if (happenings > 10) return;
            fixture.advance(1);
            if (random.chance(0.5)) addComment(fixture.world, issue, { author: fixture.people.max });
            const deleted = random.chance(0.7) ? random.pickIfAny(issue.comments) : undefined;
            if (deleted) deleteComment(fixture.world, deleted);
          },
        });
        const remaining = before.filter((comment) => issue.comments.includes(comment));
        assert.deepEqual(
          listIds(remaining).filter((id) => !seen.has(id)),
          [],
          `seed ${seed}`,
        );
      });
    }
  });

  it('skips no changed issue when one is deleted and an older one changes during the read', async () => {
    await withFixture(2, async (fixture) => {
      const { handbook } = fixture.repositories;
      const [oldest] = handbook.issues;
      const since = new Date(fixture.now().getTime() + 1000);
      fixture.advance(10);
      const changed = Array.from({ length: 6 }, () =>
        addIssue(fixture.world, handbook, { author: fixture.people.ada }),
      );
      const newest = changed.at(-1);
      assert.ok(oldest && newest);
      let pages = 0;
      const seen = await readAll(fixture, 'issues', {
        since,
        meanwhile: () => {
          pages += 1;
          if (pages > 1) return;
          fixture.advance(5);
          // The number of entries stays: the list loses one before the position of the reader and gains one behind it.
          deleteItem(fixture.world, handbook, newest);
          oldest.updatedAt = fixture.now();
        },
      });
      for (const id of listIds(changed)) assert.ok(seen.has(id), id);
    });
  });

  it('lists every remaining repository of a long list while others are removed', async () => {
    await withFixture(2, (fixture) => assertListedWhileRemoving(fixture, toOrganization(fixture)));
  });

  it('rejects an unreadable cursor', async () => {
    await withFixture(2, async ({ provider, ...fixture }) => {
      const repository = toHandbook(fixture);
      const position = { cursor: 'nonsense', since: null, pageSize: null, isDeep: false };
      await assert.rejects(provider.streams.read('issues', repository, position, newCall()), {
        code: 'provider_invalid_response',
      });
    });
  });

  it('reads a timeline to its end although each page reports only its own length', async () => {
    await withFixture(50, async ({ provider, simulator, ...fixture }) => {
      const happened = recorded('issue-2-timeline').body as { type: string; user: { id: number } }[];
      const closing = happened.findLast(({ type }) => type === 'close');
      const others = happened.filter(({ type }) => type !== 'close' && type !== 'pull_ref');
      simulator.overrides.push((path) => {
        const [, page] = /timeline\?.*page=(\d+)/.exec(path) ?? [];
        const entry = [...others, closing][Number(page) - 1];
        if (page === undefined) return undefined;
        const body = entry === undefined ? [] : [entry];
        return { status: 200, body, headers: { 'x-total-count': String(body.length) } };
      });
      const repository = toHandbook(fixture);
      const position = { cursor: null, since: null, pageSize: null, isDeep: true };
      const { contributions } = await provider.streams.read('issues', repository, position, newCall());
      const closed = contributions.filter(({ kind, closedAt }) => kind === 'issue' && closedAt !== null);
      assert.ok(closed.length > 0);
      for (const { details } of closed) assert.equal(details?.resolvedBy, String(closing?.user.id));
    });
  });

  it('reads a negative number of forks as zero', async () => {
    await withFixture(50, async ({ provider, organization, world, repositories: { handbook } }) => {
      handbook.forkCount = -1;
      world.markChanged();
      const { repositories } = await provider.repositories.list(toOrganization({ organization }), null, newCall());
      assert.equal(repositories.find(({ name }) => name === handbook.name)?.forks, 0);
    });
  });

  it('reads no issues where they are switched off, and rejects a repository that is absent', async () => {
    await withFixture(50, async ({ provider, simulator, ...fixture }) => {
      const repository = toHandbook(fixture);
      const position = { cursor: null, since: null, pageSize: null, isDeep: false };
      simulator.overrides.push((path) => (path.includes('/issues') ? { status: 404, body: {} } : undefined));
      const page = await provider.streams.read('issues', repository, position, newCall());
      assert.deepEqual([page.contributions, page.nextCursor, page.total], [[], null, 0]);
      simulator.overrides.splice(0, 1, () => ({ status: 404, body: {} }));
      await assert.rejects(provider.streams.read('issues', repository, position, newCall()), { code: 'not_found' });
    });
  });

  it('reads imported contributions without an author', async () => {
    await withFixture(50, async ({ provider, simulator, ...fixture }) => {
      const repository = toHandbook(fixture);
      for (const { id } of fixture.issues) simulator.imported.add(id);
      const position = { cursor: null, since: null, pageSize: null, isDeep: false };
      const page = await provider.streams.read('issues', repository, position, newCall());
      assert.ok(page.contributions.length > 0 && page.contributions.every(({ author }) => author === null));
      assert.deepEqual(page.actors, []);
    });
  });
});
