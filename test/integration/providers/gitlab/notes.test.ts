import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import type { SkippedPart } from '../../../../src/hosts/interface/call.ts';
import type { ContributionPage } from '../../../../src/hosts/interface/provider.ts';
import { newCall } from '../../../contract/host.ts';
import { createContractWorld, toHandbook } from '../../../contract/world.ts';
import { gitlabProvider } from './gitlab-provider.ts';

interface Note {
  system: boolean;
  body: string;
}

/** Reads the merge requests and issues of the handbook while GitLab sends other notes. */
async function readWith(
  change: (note: Note, operation: string) => Note,
  { isDeep }: { isDeep: boolean },
): Promise<{ pages: ContributionPage[]; skipped: SkippedPart[]; approvedId: string }> {
  const fixture = createContractWorld();
  await using simulator = await startGitLabSimulator({
    world: fixture.world,
    rewrite: ({ operation, body }) =>
      operation.endsWith('/notes') ? (body as Note[]).map((note) => change(note, operation)) : body,
  });
  await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now: fixture.now });
  const skipped: SkippedPart[] = [];
  const watched = newCall({ onSkipped: (part) => void skipped.push(part) });
  const position = { cursor: null, since: null, pageSize: null, isDeep };
  const pages: ContributionPage[] = [];
  for (const stream of ['pull_requests', 'issues']) {
    pages.push(await provider.streams.read(stream, toHandbook(fixture), position, watched));
  }
  return { pages, skipped, approvedId: String(fixture.pulls[0]?.id) };
}

const toCount = (pages: readonly ContributionPage[], kind: string): number =>
  pages.flatMap(({ contributions }) => contributions).filter((contribution) => contribution.kind === kind).length;

const approvedWith = (text: string) => (note: Note) =>
  note.body === 'approved this merge request' ? { ...note, body: text } : note;

describe('reviews in notes of GitLab', () => {
  for (const text of ['', 'a\0\ud800pproved this merge request', 'approved this \ufffderge request', '\ufffd']) {
    it(`reports a review as skipped whose text is ${JSON.stringify(text)}`, async () => {
      for (const isDeep of [false, true]) {
        const { pages, skipped, approvedId } = await readWith(approvedWith(text), { isDeep });

        assert.equal(toCount(pages, 'review'), 1);
        assert.deepEqual(
          skipped.map(({ kind, reason, isStored, isCounted }) => ({ kind, reason, isStored, isCounted })),
          [{ kind: 'review', reason: 'unreadable', isStored: false, isCounted: false }],
        );
        assert.equal(pages[0]?.wholeParents.includes(approvedId), false);
      }
    });
  }

  it('reports no review as skipped for another record that quotes an unknown character', async () => {
    const title = 'changed title from **a\ufffdp** to **approved this merge request**';
    const { pages, skipped } = await readWith(approvedWith(title), { isDeep: true });

    assert.equal(toCount(pages, 'review'), 1);
    assert.deepEqual(skipped, []);
  });

  it('reads comments whose text is unreadable', async () => {
    const { pages, skipped } = await readWith((note) => (note.system ? note : { ...note, body: '' }), { isDeep: true });

    assert.deepEqual(
      ['review', 'issue_comment', 'pull_request_comment', 'review_comment'].map((kind) => toCount(pages, kind)),
      [2, 2, 1, 1],
    );
    assert.deepEqual(skipped, []);
  });

  it('reports no review as skipped for an unreadable record of an issue', async () => {
    const { skipped } = await readWith(
      (note, operation) => (operation.includes('/issues/') ? { ...note, system: true, body: '' } : note),
      { isDeep: true },
    );

    assert.deepEqual(skipped, []);
  });
});
