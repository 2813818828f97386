import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counterRows } from '../../../src/model/kinds.ts';
import type { ServiceResponse } from '../../e2e/service.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { storeBoard } from './stored-board.ts';

const asReader = { headers: { accept: 'text/html' } };
const format = (value: unknown): string => new Intl.NumberFormat('en').format(Number(value));
const path = `/github/${engines.name}/engine-1`;

describe('pages of repositories', () => {
  const shared = shareStoredService();
  const page = (address: string): Promise<ServiceResponse> => shared.service.get(address, asReader);

  it('shows what each counter of the repository counts', async () => {
    const { text, status } = await page(path);
    assert.equal(status, 200, text);
    const { body } = await shared.service.get(`${engines.name}/repositories/engine-1/contributions`);
    const numbers = Object.entries<number>(Object(body.data[0]).contributions);
    assert.equal(numbers.length, counterRows.length - 1);
    for (const [name, number] of numbers) {
      const address = `${path}/contributions/${name}`;
      assert.ok(
        text.includes(`<a href="${address}" class="number" aria-describedby="${name}-tip">${format(number)}</a>`),
        name,
      );
      const evidence = await page(address);
      assert.ok(evidence.text.includes(`<span class="total">${format(number)}</span>`), address);
      assert.match(evidence.text, /<p class="bio">[^<]+ repositories/);
    }
    assert.equal((await page(`${path}/contributions/contributed_to`)).status, 400);
  });

  it('names the boards that count the repository as long as everyone may see them', async () => {
    await storeBoard(shared.service, shared.simulator);
    const { text } = await page(path);
    const [, counted = ''] = text.split('<h2>Boards that count this repository</h2>');
    assert.ok(counted.includes(`href="/github/${engines.name}/boards/all"`), counted);
    const { pool } = shared.service.database;
    // Pages of a repository name boards of others too: here of a person whose board counts it.
    await pool.query('update boards set owner_id = p.id from accounts p where p.name = $1', [ada.name]);
    const isBoardShown = async (): Promise<boolean> => {
      await shared.service.service.catchUp();
      return (await page(path)).text.includes('/boards/all"');
    };
    for (const [change, undo] of [
      ['update boards set is_private = true', 'update boards set is_private = false'],
      ['update boards set is_current = false', 'update boards set is_current = true'],
      [
        `update accounts set hidden = true where name = '${ada.name}'`,
        `update accounts set hidden = false where name = '${ada.name}'`,
      ],
      [
        `update boards set definition = jsonb_set(definition::jsonb, '{people}', '{"only_members_of": "a/b"}')::json`,
        `update boards set definition = (definition::jsonb - 'people')::json`,
      ],
    ] as const) {
      assert.ok(await isBoardShown(), `before ${change}`);
      await pool.query(change);
      assert.ok(!(await isBoardShown()), change);
      await pool.query(undo);
    }
  });
});
