import assert from 'node:assert/strict';
import type { Repository } from '../../simulators/world/model.ts';
import { dismissReview } from '../../simulators/world/threads.ts';
import { listStreams, type Stream } from '../../src/hosts/interface/provider.ts';
import { type Contribution, contributionKinds, type ItemKind } from '../../src/model/contribution.ts';
import { compareContributions, expectedContributions, normalize, withoutUnreported } from './expected.ts';
import { type Fixture, knownRepository, newCall, type Rule, ruleAboutParts } from './host.ts';

const kinds: readonly (ItemKind | 'commit')[] = [
  ...contributionKinds,
  ...(['issue_comment', 'pull_request_comment', 'review_comment', 'star'] as const),
];

/** Rules about contributions. */
export const contributionRules: readonly Rule[] = [
  {
    title: 'names a kind that no stream covers as unavailable, with the reason',
    tokens: ['public_only'],
    check: async ({ provider }) => {
      const covered = new Set(listStreams(provider).flatMap(({ covers }) => covers));
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
    title: 'names a kind that no stream covers as unavailable, also without a token',
    tokens: [],
    check: async ({ provider }) => {
      const covered = new Set(listStreams(provider).flatMap(({ covers }) => covers));
      const unreported = new Set(provider.unreported.map(({ kind }) => kind));
      assert.deepEqual(
        kinds.filter((kind) => !covered.has(kind) && !unreported.has(kind)),
        [],
      );
    },
  },
  ruleAboutParts(['streams'], {
    title: 'reads contributions from every page',
    tokens: ['public_only'],
    check: async (fixture, host) => {
      const { provider, repositories, world } = fixture;
      const read = await readEverything(fixture, repositories.handbook, { isDeep: false });
      const expected = expectedContributions(fixture, repositories.handbook, host)
        .filter(({ kind }) => kind === 'issue' || kind === 'pull_request' || kind === 'review')
        .map(({ details: _details, ...rest }) => rest);
      assert.deepEqual(
        read.contributions.map(({ details: _details, ...rest }) => rest),
        expected,
      );
      const people = world.accounts.filter(({ isDeleted, type }) => !isDeleted && type === 'User');
      const idsOfPeople = new Set(people.map(({ id }) => String(id)));
      for (const { externalId } of read.actors) assert.ok(idsOfPeople.has(externalId), externalId);
      assert.ok(provider.streams.list.some(({ covers }) => covers.includes('review')));
    },
  }),
  ruleAboutParts(['streams'], {
    title: 'reads installed repositories completely',
    // Hosts list stars for those who administer a repository.
    tokens: ['organization_admin'],
    check: async (fixture, host) => {
      const { repositories, world, pulls } = fixture;
      const [pull] = pulls;
      const approval = pull?.reviews.find(({ state }) => state === 'APPROVED');
      assert.ok(pull && approval);
      dismissReview(world, pull, approval);
      const { contributions } = await readEverything(fixture, repositories.handbook, { isDeep: true });
      const strip = ({ details, ...rest }: Contribution) => ({
        ...rest,
        details: details && withoutUnreported(details, host),
      });
      const expected = expectedContributions(fixture, repositories.handbook, host);
      assert.deepEqual(contributions.filter(({ kind }) => kind !== 'star').map(strip), expected.map(strip));
      assert.equal(
        contributions.some(({ kind }) => kind === 'star'),
        host.reportsStars,
      );
    },
  }),
  ruleAboutParts(['streams'], {
    title: 'reads only the changes since a given time',
    tokens: ['public_only'],
    check: async (fixture) => {
      const { provider, world, repositories, issues, now, advance } = fixture;
      const since = now();
      advance(60);
      const [issue] = issues;
      assert.ok(issue);
      issue.updatedAt = now();
      world.markChanged();
      advance(60);
      const repository = await knownRepository(fixture, repositories.handbook);
      const position = { cursor: null, since, pageSize: null, isDeep: false };
      const page = await provider.streams.read('issues', repository, position, newCall());
      assert.deepEqual(
        page.contributions.map(({ externalId }) => externalId),
        [String(issue.id)],
      );
      assert.equal(page.total, null);
    },
  }),
];

async function readEverything(
  fixture: Fixture<'streams'>,
  repositoryOfWorld: Repository,
  { isDeep }: { isDeep: boolean },
) {
  const { provider } = fixture;
  const repository = await knownRepository(fixture, repositoryOfWorld);
  const isRead = (stream: Stream): boolean => isDeep || stream.isForInstalled !== true;
  const contributions = new Map<string, Contribution>();
  const actors = [];
  for (const { name } of provider.streams.list.filter(isRead)) {
    let cursor: string | null = null;
    let pageSize: number | null = null;
    do {
      const position = { cursor, since: null, pageSize, isDeep };
      const page = await provider.streams.read(name, repository, position, newCall());
      for (const contribution of page.contributions)
        contributions.set(`${contribution.kind} ${contribution.externalId}`, normalize(contribution));
      actors.push(...page.actors);
      ({ nextCursor: cursor, pageSize } = page);
    } while (cursor !== null);
  }
  return { contributions: [...contributions.values()].toSorted(compareContributions), actors };
}
