import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { untilIdle } from '../../e2e/access/state.ts';
import { withSteppedGitea } from '../sync/stepped-hosts.ts';

const page = '/gitea/ada-lovelace';
const progress = '/pages/progress/gitea/ada-lovelace?until=complete';

describe('the page of a person on a host without totals', () => {
  it('says that numbers are being collected, and follows the collection until it is complete', async () => {
    await withSteppedGitea(async ({ service }) => {
      const { status, text } = await service.get(page);
      assert.equal(status, 200);
      assert.ok(text.includes(`data-progress="${progress}"`));
      assert.ok(text.includes('<script src="/pages/progress.js" defer></script>'));
      await untilIdle(service);
      const stream = await fetch(`${service.url}${progress}`);
      assert.match(await stream.text(), /event: ready/);
      assert.ok(!(await service.get(page)).text.includes('data-progress'));
    });
  });
});
