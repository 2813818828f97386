import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GitLabSimulator, startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import { addIssue, addRepository } from '../../../../simulators/world/activity.ts';
import { deleteItem } from '../../../../simulators/world/mutations.ts';
import { addAccount } from '../../../../simulators/world/people.ts';
import { Random } from '../../../../simulators/world/random.ts';
import { star } from '../../../../simulators/world/repository-changes.ts';
import type { ProviderWith } from '../../../../src/providers/provider.ts';
import { call } from '../../../contract/host.ts';
import { idsOf, readAll } from '../../../contract/read-all.ts';
import { type ContractWorld, createContractWorld, handbookOf } from '../../../contract/world.ts';
import { gitlabProvider, groupOf } from './gitlab-provider.ts';

/** Tests lists that change while they are read, and that do not report their length. */

interface Scene extends ContractWorld {
  simulator: GitLabSimulator;
  provider: ProviderWith<'streams'>;
}

async function inScene(
  sizes: { maxPerPage: number; totalsUpTo?: number },
  check: (scene: Scene) => Promise<void>,
): Promise<void> {
  const world = createContractWorld();
  await using simulator = await startGitLabSimulator({ world: world.world, ...sizes });
  await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now: world.now });
  await check({ ...world, simulator, provider });
}

describe('lists of GitLab', () => {
  it('reads every remaining issue while others are added and deleted, also in lists of unknown length', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      await inScene({ maxPerPage: 3, totalsUpTo: seed % 2 === 0 ? 0 : 100 }, async (scene) => {
        const random = new Random(seed);
        const { handbook } = scene.repositories;
        for (let count = 0; count < 20; count += 1) {
          // Several issues have the same time.
          scene.advance(random.chance(0.5) ? 1 : 0);
          addIssue(scene.world, handbook, { author: scene.people.ada });
        }
        const before = [...handbook.issues];
        let happenings = 0;
        const seen = await readAll(scene, 'issues', {
          meanwhile: () => {
            happenings += 1;
            if (happenings > 12) return;
            scene.advance(1);
            if (random.chance(0.5)) addIssue(scene.world, handbook, { author: scene.people.max });
            const deleted = random.chance(0.7) ? handbook.issues[random.integer(0, 4)] : undefined;
            if (deleted) deleteItem(scene.world, handbook, deleted);
          },
        });
        const missed = idsOf(before.filter((issue) => handbook.issues.includes(issue))).filter((id) => !seen.has(id));
        // Only issues that share their time with more than a page of others may be skipped.
        const crowded = new Set(
          idsOf(before.filter((one) => before.filter((other) => +other.createdAt === +one.createdAt).length > 3)),
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
    await inScene({ maxPerPage: 2, totalsUpTo: 0 }, async (scene) => {
      const { handbook } = scene.repositories;
      for (let count = 0; count < 7; count += 1) addIssue(scene.world, handbook, { author: scene.people.ada });
      assert.deepEqual([...(await readAll(scene, 'issues'))].toSorted(), idsOf(handbook.issues).toSorted());
    });
  });

  it('reads every remaining changed issue when another is deleted and a third changes during the read', async () => {
    await inScene({ maxPerPage: 2 }, async (scene) => {
      const { handbook } = scene.repositories;
      const since = new Date(scene.now().getTime() + 1000);
      scene.advance(10);
      const changed = Array.from({ length: 6 }, () => {
        scene.advance(1);
        return addIssue(scene.world, handbook, { author: scene.people.ada });
      });
      const [oldest] = changed;
      assert.ok(oldest);
      let pages = 0;
      const seen = await readAll(scene, 'issues', {
        since,
        meanwhile: () => {
          pages += 1;
          if (pages > 1) return;
          deleteItem(scene.world, handbook, oldest);
          const [, second] = changed;
          if (second) second.updatedAt = scene.now();
        },
      });
      for (const id of idsOf(changed).slice(1)) assert.ok(seen.has(id), id);
    });
  });

  it('leaves changes after the beginning of a read of changes to the next read', async () => {
    await inScene({ maxPerPage: 1 }, async (scene) => {
      const { handbook } = scene.repositories;
      const since = new Date(scene.now().getTime() + 1000);
      scene.advance(10);
      for (let count = 0; count < 3; count += 1) {
        scene.advance(1);
        addIssue(scene.world, handbook, { author: scene.people.ada });
      }
      let pages = 0;
      await readAll(scene, 'issues', {
        since,
        meanwhile: () => {
          pages += 1;
          scene.advance(5);
          addIssue(scene.world, handbook, { author: scene.people.max });
        },
      });
      assert.ok(pages <= 5, `${pages} pages`);
    });
  });

  it('reads a list although the notes of its items are not found, and fails when the list is not found', async () => {
    await inScene({ maxPerPage: 100 }, async (scene) => {
      scene.simulator.overrides.push((path) =>
        path.includes('/notes') || path.includes('/award_emoji') || path.includes('/closed_by')
          ? { status: 404, body: { message: '404 Not Found' } }
          : undefined,
      );
      for (const stream of ['issues', 'pull_requests']) {
        const position = { cursor: null, since: null, pageSize: null, isDeep: true };
        const page = await scene.provider.streams.read(stream, handbookOf(scene), position, call());
        assert.ok(page.contributions.length >= 5, stream);
      }
      scene.simulator.overrides.splice(0, 1, () => ({ status: 404, body: {} }));
      const position = { cursor: null, since: null, pageSize: null, isDeep: true };
      await assert.rejects(scene.provider.streams.read('issues', handbookOf(scene), position, call()), {
        code: 'not_found',
      });
    });
  });

  it('reads stars with their times, and new stars from the end of the list', async () => {
    await inScene({ maxPerPage: 2 }, async (scene) => {
      const { world, repositories, now, advance, provider } = scene;
      const people = Array.from({ length: 5 }, (_, index) =>
        addAccount(world, { login: `fan-${index}`, createdAt: now() }),
      );
      for (const by of people) {
        advance(60);
        star(world, repositories.handbook, by);
      }
      const all = await readAll(scene, 'stars');
      assert.equal(all.size, 7);
      advance(1);
      const since = now();
      advance(60);
      star(world, repositories.handbook, scene.people.olive);
      const position = { cursor: null, since, pageSize: null, isDeep: true };
      const read = (cursor: string | null) =>
        provider.streams.read('stars', handbookOf(scene), { ...position, cursor }, call());
      const begin = await read(null);
      const last = await read(begin.nextCursor);
      const newest = last.contributions.at(-1);
      assert.equal(newest?.externalId, String(scene.people.olive.id));
      assert.deepEqual(newest?.createdAt, new Date(Math.floor(now().getTime() / 1000) * 1000));
      const requestCount = scene.simulator.requests.length;
      assert.ok(last.nextCursor === null || (await read(last.nextCursor)).nextCursor === null);
      assert.ok(scene.simulator.requests.length - requestCount <= 2);
      scene.simulator.hidden.profiles.add(scene.people.max.id);
      assert.equal((await readAll(scene, 'stars')).size, 7);
    });
  });

  it('lists every remaining project of a group while others are removed', async () => {
    await inScene({ maxPerPage: 2 }, async (scene) => {
      const { world, organization, provider, now } = scene;
      for (let count = 0; count < 9; count += 1) {
        addRepository(world, { ownerId: organization.id, name: `part-${count}`, createdAt: now() });
      }
      const owner = groupOf(scene);
      const listed = new Set<string>();
      let cursor: string | null = null;
      let removals = 0;
      do {
        const page = await provider.repositories.list(owner, cursor, call());
        for (const { name } of page.repositories) listed.add(name);
        if (removals < 3) {
          const removedIndex = world.repositories.findIndex(({ name }) => name === `part-${removals}`);
          world.repositories.splice(removedIndex, 1);
          world.changed();
          removals += 1;
        }
        cursor = page.nextCursor;
      } while (cursor !== null);
      for (const name of ['handbook', 'empty', 'part-3', 'part-5', 'part-8']) assert.ok(listed.has(name), name);
      assert.ok(!listed.has('secret-plans'));
    });
  });

  it('rejects an unreadable cursor, so that the list starts again', async () => {
    await inScene({ maxPerPage: 2 }, async (scene) => {
      for (const stream of ['issues', 'stars']) {
        const position = { cursor: '{"page": 0}', since: null, pageSize: null, isDeep: false };
        await assert.rejects(scene.provider.streams.read(stream, handbookOf(scene), position, call()), {
          code: 'provider_invalid_response',
        });
      }
    });
  });
});
