import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runGit } from '../../../simulators/git/run-git.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { start } from '../../../simulators/github/send-request.ts';
import { forcePush } from '../../../simulators/world/mutations.ts';

describe('git of the simulated GitHub', () => {
  it('serves the current branch over git, even when it was rewritten during the build of the repository', async () => {
    await using simulator = await start();
    await using directory = await makeTemporaryDirectory();
    const { world } = simulator;
    const repository = world.repository(simulator.accounts.user, 'notes') ?? assert.fail();
    const url = `${simulator.url}/${simulator.accounts.user}/notes.git`;
    const tip = async (): Promise<string | undefined> =>
      (await runGit(directory.path, ['ls-remote', url, `refs/heads/${repository.defaultBranch}`]))
        .toString()
        .split('\t')[0];
    for (let round = 0; round < 3; round += 1) {
      const over = new AbortController();
      const requests = Promise.all([tip(), tip()]).finally(() => over.abort());
      for (let count = 0; !over.signal.aborted && count < 5000; count += 1) {
        if (count % 10 === 0)
          forcePush(world, repository, 2, ['ada@mail.example', `round-${round}-${count}@mail.example`]);
        await turn();
      }
      await requests;
      assert.equal(await tip(), repository.commits.at(-1)?.oid);
    }
  });
});
