import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { startServiceProcess } from '../e2e/installed/service-process.ts';
import { limitMemory } from '../memory-limit.ts';
import { program } from '../program.ts';
import { until } from '../time.ts';

const mebibyte = 1024 ** 2;
const limit = limitMemory(512 * mebibyte);
const skip = limit === undefined && 'no control group can be made here';

describe('service in 512 MB', { skip }, () => {
  it('collects and serves a person and an organization of 20 repositories, with PostgreSQL and git', async () => {
    assert.ok(limit);
    using group = limit;
    await using directory = await makeTemporaryDirectory();
    await using simulator = await startSimulator({ repositories: 20 });
    const settings = {
      WORKERS: '1',
      DATA_DIR: directory.pathOf('data'),
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.public_only,
      RATE_LIMIT_PER_MINUTE: '1000000',
    };
    await using service = await startServiceProcess(settings, program, group.command);
    const get = (path: string): Promise<Response> => fetch(`${service.url}${path}`);
    const accounts = [simulator.accounts.organization, simulator.accounts.user];
    for (const login of accounts) {
      for (const endpoint of ['contributions', 'contributors']) {
        const path = `/v1/github/entities/${login}/${endpoint}`;
        const isComplete = async (): Promise<boolean> => {
          const response = await get(path);
          return response.status === 200 && ((await response.json()) as Body).meta_data.complete;
        };
        await until(isComplete, `${path} is complete`);
      }
      const entities = `/v1/github/entities/${login}`;
      const read = [
        `/github/${login}`,
        `${entities}/contributions?format=png`,
        `${entities}/contributors?format=png&limit=100`,
      ];
      for (const path of read) {
        const response = await get(path);
        assert.equal(response.status, 200, path);
        await response.arrayBuffer();
      }
    }
    assert.equal(await service.stop(), 0);
    assert.equal(group.countEnded(), 0);
    console.log(`at most ${Math.round(group.findPeak() / mebibyte)} MiB, with the cache of files`);
  });
});

interface Body {
  meta_data: { complete: boolean };
}
