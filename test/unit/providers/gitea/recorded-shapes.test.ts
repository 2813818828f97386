import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PullRequestPayload } from '../../../../src/hosts/gitea/payloads.ts';
import type { SkippedPart } from '../../../../src/hosts/interface/call.ts';
import { checkPayload } from '../../../../src/hosts/rest/checks.ts';

const file = new URL('../../../../simulators/gitea/recorded/pull-requests-1.22.json', import.meta.url);
const recordings: { name: string; body: { requested_reviewers: ({ login: string } | null)[] } }[] = JSON.parse(
  readFileSync(file, 'utf8'),
);

describe('reading pull requests of Gitea 1.22', () => {
  it('keeps the reviewers though teams and deleted reviewers are null', () => {
    assert.ok(recordings.some(({ body }) => body.requested_reviewers.includes(null)));
    for (const { name, body } of recordings) {
      const skipped: SkippedPart[] = [];
      const onSkipped = (part: SkippedPart): void => void skipped.push(part);
      const { requested_reviewers: reviewers } = checkPayload(PullRequestPayload, body, name, { onSkipped });
      assert.deepEqual(
        reviewers?.map((reviewer) => reviewer?.login),
        body.requested_reviewers.map((reviewer) => reviewer?.login),
        name,
      );
      assert.deepEqual(skipped, [], name);
    }
  });
});
