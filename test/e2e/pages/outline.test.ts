import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { startTestService } from '../service.ts';

/** The longest time that a caller of the API waits, in ms. */
const budgetMs = 60_000;
/** The time, in ms, after which a page is taken to wait for its host. */
const patienceMs = 20_000;
const silence = { kind: 'never', times: 1_000_000 } as const;
const settings = { LOOKUP_BUDGET_MS: String(budgetMs) };

describe('the outline of a page', () => {
  it('comes while the host does not respond, for every page about an account that is not stored', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    simulator.faults.add(silence);
    await using service = await startTestService({ simulator, settings });
    const { organization: owner, user } = simulator.accounts;
    for (const path of [
      `/github/${user}`,
      `/github/${owner}`,
      `/github/${owner}/engine-1`,
      `/github/${owner}/engine-1/contributions/issues`,
      `/github/${owner}/contributors/${user}`,
      `/github/${owner}/boards/all`,
      `/github/${owner}/boards/all/people/${user}`,
      `/github/${user}/contributions/commits?period=2025`,
      `/github/${user}/contributions/languages/Rust`,
      `/github/${user}/achievements/next`,
      `/github/${user}/achievements/0198c0de-7b1e-7cc3-9d5a-3f2b1c0a9e8d`,
    ]) {
      const { status, text } = await service.get(path, { signal: AbortSignal.timeout(patienceMs) });
      assert.equal(status, 202, path);
      assert.match(text, /<section class="state" data-progress=/, path);
    }
  });

  it('comes while the host does not respond about the repositories of an account that is stored', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({ simulator, settings });
    const { organization: owner, user } = simulator.accounts;
    for (const name of [owner, user]) assert.equal((await service.get(name)).status, 200);
    simulator.faults.add(silence);
    for (const path of [
      `/github/${owner}`,
      `/github/${user}`,
      `/github/${owner}/engine-1`,
      `/github/${owner}/contributors/${user}`,
      `/github/${user}/contributions/commits?period=2025`,
    ]) {
      const { status, text } = await service.get(path, { signal: AbortSignal.timeout(patienceMs) });
      // Stored numbers are shown already.
      assert.ok([200, 202].includes(status), path);
      assert.match(text, /<h1[^>]*>./, path);
    }
  });
});
