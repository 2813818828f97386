import assert from 'node:assert/strict';
import type { Repository } from '../../simulators/world/model.ts';
import { type Contribution, contributionKinds, type ItemKind } from '../../src/contributions/contribution.ts';
import { type Stream, streamsOf } from '../../src/providers/provider.ts';
import { expectedContributions, inOrder, normalized, withoutUnreported } from './expected.ts';
import { aboutParts, call, knownRepository, type Rule, type Scene } from './host.ts';

const kinds: readonly (ItemKind | 'commit')[] = [
  ...contributionKinds,
  ...(['issue_comment', 'pull_request_comment', 'review_comment', 'star'] as const),
];

/** Rules about contributions. */
export const contributionRules: readonly Rule[] = [
  {
    what: 'names a kind that no stream covers as unavailable, with the reason',
    tokens: ['public_only'],
    check: async ({ provider }) => {
      const covered = new Set(streamsOf(provider).flatMap(({ covers }) => covers));
      const unreported = new Set(
        provider.unreported.filter(({ details }) => details === undefined).map(({ kind }) => kind),
      );
      assert.deepEqual(
        kinds.filter((kind) => !covered.has(kind) && !unreported.has(kind)),
        [],
      );
      for (const { why } of provider.unreported) assert.match(why, /^[A-Z].*[^.]$/);
    },
  },
  {
    what: 'names a kind that no stream covers as unavailable, also without a token',
    tokens: [],
    check: async ({ provider }) => {
      const covered = new Set(streamsOf(provider).flatMap(({ covers }) => covers));
      const unreported = new Set(provider.unreported.map(({ kind }) => kind));
      assert.deepEqual(
        kinds.filter((kind) => !covered.has(kind) && !unreported.has(kind)),
        [],
      );
    },
  },
  aboutParts(['streams'], {
    what: 'reads contributions from every page',
    tokens: ['public_only'],
    check: async (scene, host) => {
      const { provider, repositories, world } = scene;
      const read = await readEverything(scene, repositories.handbook, { isDeep: false });
      const expected = expectedContributions(scene, repositories.handbook, host)
        .filter(({ kind }) => kind === 'issue' || kind === 'pull_request' || kind === 'review')
        .map(({ details: _details, ...rest }) => rest);
      assert.deepEqual(
        read.contributions.map(({ details: _details, ...rest }) => rest),
        expected,
      );
      const people = world.accounts.filter(({ isDeleted, type }) => !isDeleted && type === 'User');
      const known = new Set(people.map(({ id }) => String(id)));
      for (const { externalId } of read.actors) assert.ok(known.has(externalId), externalId);
      assert.ok(provider.streams.list.some(({ covers }) => covers.includes('review')));
    },
  }),
  aboutParts(['streams'], {
    what: 'reads installed repositories completely',
    // Hosts list stars for those who administer a repository.
    tokens: ['organization_admin'],
    check: async (scene, host) => {
      const { repositories } = scene;
      const { contributions } = await readEverything(scene, repositories.handbook, { isDeep: true });
      const strip = ({ details, ...rest }: Contribution) => ({
        ...rest,
        details: details && withoutUnreported(details, host),
      });
      const expected = expectedContributions(scene, repositories.handbook, host);
      assert.deepEqual(contributions.filter(({ kind }) => kind !== 'star').map(strip), expected.map(strip));
      assert.equal(
        contributions.some(({ kind }) => kind === 'star'),
        host.reportsStars,
      );
    },
  }),
  aboutParts(['streams'], {
    what: 'reads only the changes since a given time',
    tokens: ['public_only'],
    check: async (scene) => {
      const { provider, world, repositories, issues, now, advance } = scene;
      const since = now();
      advance(60);
      const [issue] = issues;
      assert.ok(issue);
      issue.updatedAt = now();
      world.changed();
      advance(60);
      const repository = await knownRepository(scene, repositories.handbook);
      const position = { cursor: null, since, pageSize: null, isDeep: false };
      const page = await provider.streams.read('issues', repository, position, call());
      assert.deepEqual(
        page.contributions.map(({ externalId }) => externalId),
        [String(issue.id)],
      );
      assert.equal(page.total, null);
    },
  }),
];

async function readEverything(scene: Scene<'streams'>, shown: Repository, { isDeep }: { isDeep: boolean }) {
  const { provider } = scene;
  const repository = await knownRepository(scene, shown);
  const wanted = (stream: Stream): boolean => isDeep || stream.isForInstalled !== true;
  const contributions = new Map<string, Contribution>();
  const actors = [];
  for (const { name } of provider.streams.list.filter(wanted)) {
    let cursor: string | null = null;
    let pageSize: number | null = null;
    do {
      const position = { cursor, since: null, pageSize, isDeep };
      const page = await provider.streams.read(name, repository, position, call());
      for (const one of page.contributions) contributions.set(`${one.kind} ${one.externalId}`, normalized(one));
      actors.push(...page.actors);
      ({ nextCursor: cursor, pageSize } = page);
    } while (cursor !== null);
  }
  return { contributions: [...contributions.values()].toSorted(inOrder), actors };
}
