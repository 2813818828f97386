import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GitLabSimulator, startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import { addIssue } from '../../../../simulators/world/activity.ts';
import { deleteItem } from '../../../../simulators/world/mutations.ts';
import { addAccount } from '../../../../simulators/world/people.ts';
import { Random } from '../../../../simulators/world/random.ts';
import { star } from '../../../../simulators/world/repository-changes.ts';
import type { ProviderWith } from '../../../../src/hosts/interface/provider.ts';
import { newCall } from '../../../contract/host.ts';
import { listIds, readAll } from '../../../contract/read-all.ts';
import { type ContractWorld, createContractWorld, toHandbook } from '../../../contract/world.ts';
import { assertListedWhileRemoving } from '../list-while-removing.ts';
import { gitlabProvider, toGroup } from './gitlab-provider.ts';

/** Tests lists that change while they are read, and that do not report their length. */

interface Fixture extends ContractWorld {
  simulator: GitLabSimulator;
  provider: ProviderWith<'streams'>;
}

async function withFixture(
  sizes: { maxPerPage: number; totalsUpTo?: number },
  check: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const world = createContractWorld();
  await using simulator = await startGitLabSimulator({ world: world.world, ...sizes });
  await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now: world.now });
  await check({ ...world, simulator, provider });
}

describe('lists of GitLab', () => {
  it('reads every remaining issue while others are added and deleted, also in lists of unknown length', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      await withFixture({ maxPerPage: 3, totalsUpTo: seed % 2 === 0 ? 0 : 100 }, async (fixture) => {
        const random = new Random(seed);
        const { handbook } = fixture.repositories;
        for (let count = 0; count < 20; count += 1) {
          // Several issues have the same time.
          fixture.advance(random.chance(0.5) ? 1 : 0);
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
            const deleted = random.chance(0.7) ? handbook.issues[random.integer(0, 4)] : undefined;
            if (deleted) deleteItem(fixture.world, handbook, deleted);
          },
        });
        const missed = listIds(before.filter((issue) => handbook.issues.includes(issue))).filter((id) => !seen.has(id));
        // Only issues that share their time with more than a page of others may be skipped.
        const crowded = new Set(
          listIds(
            before.filter(
              (issue) => before.filter((candidate) => +candidate.createdAt === +issue.createdAt).length > 3,
            ),
          ),
        );
        assert.deepEqual(
          missed.filter((id) => !crowded.has(id)),
          [],
          `seed ${seed}`,
        );
      });
    }
  });

  it('reads all issues with the same time, also when they fill more than one page', async () => {
    await withFixture({ maxPerPage: 2, totalsUpTo: 0 }, async (fixture) => {
      const { handbook } = fixture.repositories;
      for (let count = 0; count < 7; count += 1) addIssue(fixture.world, handbook, { author: fixture.people.ada });
      assert.deepEqual([...(await readAll(fixture, 'issues'))].toSorted(), listIds(handbook.issues).toSorted());
    });
  });

  it('reads every remaining changed issue when another is deleted and a third changes during the read', async () => {
    await withFixture({ maxPerPage: 2 }, async (fixture) => {
      const { handbook } = fixture.repositories;
      const since = new Date(fixture.now().getTime() + 1000);
      fixture.advance(10);
      const changed = Array.from({ length: 6 }, () => {
        fixture.advance(1);
        return addIssue(fixture.world, handbook, { author: fixture.people.ada });
      });
      const [oldest] = changed;
      assert.ok(oldest);
      let pages = 0;
      const seen = await readAll(fixture, 'issues', {
        since,
        meanwhile: () => {
          pages += 1;
          if (pages > 1) return;
          deleteItem(fixture.world, handbook, oldest);
          const [, second] = changed;
          if (second) second.updatedAt = fixture.now();
        },
      });
      for (const id of listIds(changed).slice(1)) assert.ok(seen.has(id), id);
    });
  });

  it('leaves changes after the beginning of a read of changes to the next read', async () => {
    await withFixture({ maxPerPage: 1 }, async (fixture) => {
      const { handbook } = fixture.repositories;
      const since = new Date(fixture.now().getTime() + 1000);
      fixture.advance(10);
      for (let count = 0; count < 3; count += 1) {
        fixture.advance(1);
        addIssue(fixture.world, handbook, { author: fixture.people.ada });
      }
      let pages = 0;
      await readAll(fixture, 'issues', {
        since,
        meanwhile: () => {
          pages += 1;
          fixture.advance(5);
          addIssue(fixture.world, handbook, { author: fixture.people.max });
        },
      });
      assert.ok(pages <= 5, `${pages} pages`);
    });
  });

  it('reads a list although the notes of its items are not found, and fails when the list is not found', async () => {
    await withFixture({ maxPerPage: 100 }, async (fixture) => {
      fixture.simulator.overrides.push((path) =>
        path.includes('/notes') || path.includes('/award_emoji') || path.includes('/closed_by')
          ? { status: 404, body: { message: '404 Not Found' } }
          : undefined,
      );
      for (const stream of ['issues', 'pull_requests']) {
        const position = { cursor: null, since: null, pageSize: null, isDeep: true };
        const page = await fixture.provider.streams.read(stream, toHandbook(fixture), position, newCall());
        assert.ok(page.contributions.length >= 5, stream);
      }
      fixture.simulator.overrides.splice(0, 1, () => ({ status: 404, body: {} }));
      const position = { cursor: null, since: null, pageSize: null, isDeep: true };
      await assert.rejects(fixture.provider.streams.read('issues', toHandbook(fixture), position, newCall()), {
        code: 'not_found',
      });
    });
  });

  it('reads stars with their times, and new stars from the end of the list', async () => {
    await withFixture({ maxPerPage: 2 }, async (fixture) => {
      const { world, repositories, now, advance, provider } = fixture;
      const people = Array.from({ length: 5 }, (_, index) =>
        addAccount(world, { login: `fan-${index}`, createdAt: now() }),
      );
      for (const by of people) {
        advance(60);
        star(world, repositories.handbook, by);
      }
      const all = await readAll(fixture, 'stars');
      assert.equal(all.size, 7);
      advance(1);
      const since = now();
      advance(60);
      star(world, repositories.handbook, fixture.people.olive);
      const position = { cursor: null, since, pageSize: null, isDeep: true };
      const read = (cursor: string | null) =>
        provider.streams.read('stars', toHandbook(fixture), { ...position, cursor }, newCall());
      const begin = await read(null);
      const last = await read(begin.nextCursor);
      const newest = last.contributions.at(-1);
      assert.equal(newest?.externalId, String(fixture.people.olive.id));
      assert.deepEqual(newest?.createdAt, new Date(Math.floor(now().getTime() / 1000) * 1000));
      const requestCount = fixture.simulator.requests.length;
      assert.ok(last.nextCursor === null || (await read(last.nextCursor)).nextCursor === null);
      assert.ok(fixture.simulator.requests.length - requestCount <= 2);
      fixture.simulator.hidden.profiles.add(fixture.people.max.id);
      assert.equal((await readAll(fixture, 'stars')).size, 7);
    });
  });

  it('lists every remaining project of a group while others are removed', async () => {
    await withFixture({ maxPerPage: 2 }, (fixture) => assertListedWhileRemoving(fixture, toGroup(fixture)));
  });

  it('rejects an unreadable cursor, so that the list starts again', async () => {
    await withFixture({ maxPerPage: 2 }, async (fixture) => {
      for (const stream of ['issues', 'stars']) {
        const position = { cursor: '{"page": 0}', since: null, pageSize: null, isDeep: false };
        await assert.rejects(fixture.provider.streams.read(stream, toHandbook(fixture), position, newCall()), {
          code: 'provider_invalid_response',
        });
      }
    });
  });
});
