import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import type { TestService } from '../../e2e/service.ts';
import { engines, keeper } from '../../integration/access/owner.ts';
import { storeAbsent, storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { curl, tokenByJq } from './curl.ts';
import { shareStoredService } from './stored-service.ts';

interface Inputs {
  entity: string;
  repository: string;
  /** The input `token`: a token of the host. */
  token?: string;
  /** The addresses of the action's first releases had no `limit`. */
  limit?: string;
}

const json = 'content-type: application/json';

/**
 * Performs the steps of VauntDev/vaunt-cards-action (generate.sh at eb03eda, MIT) with another host: the addresses,
 * headers, options of curl and checks of the results are the same.
 * @returns the card that the action commits.
 * @throws Error with the output with which the action fails.
 */
async function runAction(host: string, { entity, repository, token = '', limit }: Inputs): Promise<string> {
  await using directory = await makeTemporaryDirectory();
  const [reply, card] = [directory.pathOf('token.json'), directory.pathOf('contributors.svg')];
  const authorization: string[] = [];
  if (token !== '') {
    const headers = [json, `Authorization: Bearer ${token}`];
    await curl(`${host}/v1/github/entities/${entity}/token`, { headers, isCompressed: false, output: reply });
    const serviceToken = await tokenByJq(reply);
    if (serviceToken === '') throw new Error('failed to get a token');
    authorization.push(`Authorization: Bearer ${serviceToken}`);
  }
  const query = limit === undefined ? 'format=svg' : `format=svg&limit=${limit}`;
  const address = `${host}/v1/github/entities/${entity}/repositories/${repository}/contributors?${query}`;
  const status = await curl(address, { headers: [json, ...authorization], isCompressed: true, output: card });
  if (status !== '200') throw new Error(`bad response from API: ${status}`);
  return await readFile(card, 'utf8');
}

/** Returns the number of contributors that a card shows. */
function drawnOn(card: string): number {
  return card.match(/>\d+ contributions?</g)?.length ?? 0;
}

describe("the incumbent's action with another host", () => {
  const shared = shareStoredService();
  const url = ({ service }: { service: TestService }): string => service.url;

  it('commits the card of a public repository without a token, with and without a limit', async () => {
    const inputs = { entity: engines.name, repository: 'engine-1' };
    const drawn = async (limit?: string): Promise<number> =>
      drawnOn(await runAction(url(shared), { ...inputs, ...(limit !== undefined && { limit }) }));
    assert.deepEqual([await drawn('2'), await drawn('10')], [2, 10]);
    assert.ok((await drawn()) > 10);
  });

  it('commits the cards of public and private repositories with a token of their owner', async () => {
    const { simulator } = shared;
    for (const [owner, repository] of [
      [keeper, 'diary'],
      [engines, 'engine-1'],
      [engines, 'hidden-engine'],
    ] as const) {
      const token = simulator.tokens[owner.token];
      const card = await runAction(url(shared), { entity: owner.name, repository, token, limit: '10' });
      assert.ok(drawnOn(card) > 0, `${owner.name}/${repository}`);
    }
  });

  it('fails where the token proves no ownership, so that it commits no wrong card', async () => {
    const token = shared.simulator.tokens[keeper.token];
    const foreign = runAction(url(shared), { entity: engines.name, repository: 'engine-1', token, limit: '10' });
    await assert.rejects(foreign, /^Error: bad response from API: 401$/);
  });

  it('fails where a repository is not known yet, does not exist or is not shown without a token', async () => {
    const diary = { entity: keeper.name, repository: 'diary' };
    await assert.rejects(runAction(url(shared), diary), /^Error: bad response from API: 202$/);
    const { connection } = shared.service.database;
    await storeAbsentRepositories(connection, keeper.name, [diary.repository]);
    await assert.rejects(runAction(url(shared), diary), /^Error: bad response from API: 404$/);
    await storeAbsent(connection, ['missing-person']);
    const unknown = { entity: 'missing-person', repository: 'diary' };
    await assert.rejects(runAction(url(shared), unknown), /^Error: bad response from API: 404$/);
  });
});
