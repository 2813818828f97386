import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recorded } from '../../../../simulators/gitea/recordings.ts';
import { type GiteaSimulator, startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import { addIssue, addRepository } from '../../../../simulators/world/activity.ts';
import { addComment, deleteComment } from '../../../../simulators/world/comments.ts';
import { deleteItem } from '../../../../simulators/world/mutations.ts';
import { Random } from '../../../../simulators/world/random.ts';
import type { ProviderWith } from '../../../../src/providers/provider.ts';
import { call } from '../../../contract/host.ts';
import { idsOf, readAll } from '../../../contract/read-all.ts';
import { type ContractWorld, createContractWorld, handbookOf, organizationOf } from '../../../contract/world.ts';
import { giteaProvider } from './gitea-provider.ts';

/** Tests lists that change while they are read, and pages that are smaller than requested. */

interface Scene extends ContractWorld {
  simulator: GiteaSimulator;
  provider: ProviderWith<'streams'>;
}

async function inScene(maxPerPage: number, check: (scene: Scene) => Promise<void>): Promise<void> {
  const world = createContractWorld();
  await using simulator = await startGiteaSimulator({ world: world.world, maxPerPage });
  await using provider = giteaProvider(simulator, { now: world.now });
  await check({ ...world, simulator, provider });
}

describe('lists of Gitea', () => {
  it('reads all issues although Gitea silently returns smaller pages than requested', async () => {
    await inScene(3, async (scene) => {
      const { handbook } = scene.repositories;
      for (let count = 0; count < 10; count += 1) addIssue(scene.world, handbook, { author: scene.people.ada });
      assert.deepEqual([...(await readAll(scene, 'issues'))].toSorted(), idsOf(handbook.issues).toSorted());
    });
  });

  it('skips no remaining issue while others are added and deleted', async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      await inScene(3, async (scene) => {
        const random = new Random(seed);
        const { handbook } = scene.repositories;
        for (let count = 0; count < 20; count += 1) {
          scene.advance(1);
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
            for (let count = random.integer(0, 3); count > 0; count -= 1) {
              const deleted = random.pickIfAny(handbook.issues);
              if (deleted) deleteItem(scene.world, handbook, deleted);
            }
          },
        });
        const stayed = before.filter((issue) => handbook.issues.includes(issue));
        assert.deepEqual(
          idsOf(stayed).filter((id) => !seen.has(id)),
          [],
          `seed ${seed}`,
        );
      });
    }
  });

  it('skips no remaining comment while others are added and deleted', async () => {
    for (let seed = 1; seed <= 8; seed += 1) {
      await inScene(2, async (scene) => {
        const random = new Random(seed);
        const [issue] = scene.issues;
        assert.ok(issue);
        for (let count = 0; count < 12; count += 1) {
          scene.advance(1);
          addComment(scene.world, issue, { author: scene.people.ada });
        }
        const before = [...issue.comments];
        let happenings = 0;
        const seen = await readAll(scene, 'comments', {
          meanwhile: () => {
            happenings += 1;
            if (happenings > 10) return;
            scene.advance(1);
            if (random.chance(0.5)) addComment(scene.world, issue, { author: scene.people.max });
            const deleted = random.chance(0.7) ? random.pickIfAny(issue.comments) : undefined;
            if (deleted) deleteComment(scene.world, deleted);
          },
        });
        const stayed = before.filter((comment) => issue.comments.includes(comment));
        assert.deepEqual(
          idsOf(stayed).filter((id) => !seen.has(id)),
          [],
          `seed ${seed}`,
        );
      });
    }
  });

  it('skips no changed issue when one is deleted and an older one changes during the read', async () => {
    await inScene(2, async (scene) => {
      const { handbook } = scene.repositories;
      const [oldest] = handbook.issues;
      const since = new Date(scene.now().getTime() + 1000);
      scene.advance(10);
      const changed = Array.from({ length: 6 }, () => addIssue(scene.world, handbook, { author: scene.people.ada }));
      const newest = changed.at(-1);
      assert.ok(oldest && newest);
      let pages = 0;
      const seen = await readAll(scene, 'issues', {
        since,
        meanwhile: () => {
          pages += 1;
          if (pages > 1) return;
          scene.advance(5);
          // The number of entries stays: the list loses one before the position of the reader and gains one behind it.
          deleteItem(scene.world, handbook, newest);
          oldest.updatedAt = scene.now();
        },
      });
      for (const id of idsOf(changed)) assert.ok(seen.has(id), id);
    });
  });

  it('lists every remaining repository of a long list while others are removed', async () => {
    await inScene(2, async (scene) => {
      const { world, organization, provider, now } = scene;
      for (let count = 0; count < 9; count += 1) {
        addRepository(world, { ownerId: organization.id, name: `part-${count}`, createdAt: now() });
      }
      const owner = organizationOf(scene);
      const listed = new Set<string>();
      let cursor: string | null = null;
      let removals = 0;
      do {
        const page = await provider.repositories.list(owner, cursor, call());
        for (const { name } of page.repositories) listed.add(name);
        if (removals < 3) {
          world.repositories.splice(
            world.repositories.findIndex(({ name }) => name === `part-${removals}`),
            1,
          );
          world.changed();
          removals += 1;
        }
        cursor = page.nextCursor;
      } while (cursor !== null);
      for (const name of ['handbook', 'empty', 'part-3', 'part-5', 'part-8']) assert.ok(listed.has(name), name);
      assert.ok(!listed.has('secret-plans'));
    });
  });

  it('rejects an unreadable cursor', async () => {
    await inScene(2, async ({ provider, ...scene }) => {
      const repository = handbookOf(scene);
      const position = { cursor: 'nonsense', since: null, pageSize: null, isDeep: false };
      await assert.rejects(provider.streams.read('issues', repository, position, call()), {
        code: 'provider_invalid_response',
      });
    });
  });

  it('reads a timeline to its end although each page reports only its own length', async () => {
    await inScene(50, async ({ provider, simulator, ...scene }) => {
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
      const repository = handbookOf(scene);
      const position = { cursor: null, since: null, pageSize: null, isDeep: true };
      const { contributions } = await provider.streams.read('issues', repository, position, call());
      const closed = contributions.filter(({ kind, closedAt }) => kind === 'issue' && closedAt !== null);
      assert.ok(closed.length > 0);
      for (const { details } of closed) assert.equal(details?.resolvedBy, String(closing?.user.id));
    });
  });

  it('reads a negative number of forks as zero', async () => {
    await inScene(50, async ({ provider, organization, world, repositories: { handbook } }) => {
      handbook.forkCount = -1;
      world.changed();
      const { repositories } = await provider.repositories.list(organizationOf({ organization }), null, call());
      assert.equal(repositories.find(({ name }) => name === handbook.name)?.forks, 0);
    });
  });

  it('reads no issues where they are switched off, and rejects a repository that is absent', async () => {
    await inScene(50, async ({ provider, simulator, ...scene }) => {
      const repository = handbookOf(scene);
      const position = { cursor: null, since: null, pageSize: null, isDeep: false };
      simulator.overrides.push((path) => (path.includes('/issues') ? { status: 404, body: {} } : undefined));
      const page = await provider.streams.read('issues', repository, position, call());
      assert.deepEqual([page.contributions, page.nextCursor, page.total], [[], null, 0]);
      simulator.overrides.splice(0, 1, () => ({ status: 404, body: {} }));
      await assert.rejects(provider.streams.read('issues', repository, position, call()), { code: 'not_found' });
    });
  });

  it('reads imported contributions without an author', async () => {
    await inScene(50, async ({ provider, simulator, ...scene }) => {
      const repository = handbookOf(scene);
      for (const { id } of scene.issues) simulator.imported.add(id);
      const position = { cursor: null, since: null, pageSize: null, isDeep: false };
      const page = await provider.streams.read('issues', repository, position, call());
      assert.ok(page.contributions.length > 0 && page.contributions.every(({ author }) => author === null));
      assert.deepEqual(page.actors, []);
    });
  });
});
