import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { ServiceResponse } from '../../e2e/service.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { storeProgress } from './stored-progress.ts';

const path = `/github/${ada.name}/achievements/next`;
const format = (value: unknown): string => new Intl.NumberFormat('en').format(Number(value));

describe('the page of the progress to the next award', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  const page = (address: string): Promise<ServiceResponse> =>
    shared.service.get(address, { headers: { accept: 'text/html' } });

  it('is not found, and not linked, before an achievement is begun', async () => {
    assert.equal((await page(path)).status, 404);
    assert.equal((await page(`/github/${engines.name}/achievements/next`)).status, 404);
    assert.ok(!(await page(`/github/${ada.name}`)).text.includes(path));
  });

  describe('after an achievement is begun', () => {
    before(async () => storeProgress(shared.service, now()));

    it('lists what counts, with the numbers and the condition of the achievement, as the API does', async () => {
      const { body } = await shared.service.get(`${ada.name}/achievements/next?limit=50`);
      const { total, remainder, progress }: { total: number; remainder: object; progress: Record<string, unknown> } =
        Object(body.meta_data);
      const { text, status } = await page(path);
      assert.equal(status, 200, text);
      assert.match(text, new RegExp(`<h1>Up next: <bdi>Much talk</bdi> <span class="total">${format(total)}</span>`));
      assert.ok(text.includes(`<bdi>${format(total)} / ${format(progress['wanted'])}</bdi>`), text);
      assert.ok(text.includes('<code dir="ltr">sum(talk) &gt;= 100000</code>'), text);
      assert.ok(text.includes(`href="/github/${engines.name}/engine-1"`));
      const amounts = [...text.matchAll(/<span class="chip">([^<]+)<\/span>/g)].map(([, amount]) => amount);
      assert.deepEqual(
        amounts,
        body.data.map(({ amount }) => format(amount)),
      );
      const [once] = Object.values(remainder);
      assert.equal(Number(once), 7);
      assert.ok(text.includes('Points for several contributions together: 7'), text);
      assert.ok(text.includes(`href="/v1/github/entities/${ada.name}/achievements/next">As data</a>`), text);
    });

    it('is linked from the page of the person, below the awards, in the language of the reader', async () => {
      const { body } = await shared.service.get(`${ada.name}/achievements/next`);
      const { total } = Object(body.meta_data) as { total: number };
      const { text } = await page(`/github/${ada.name}?lang=de`);
      const [, achievements = ''] = text.split('id="achievements"');
      assert.match(achievements, /Als Nächstes: <bdi>Much talk<\/bdi>/);
      assert.match(
        achievements,
        new RegExp(`<a href="${path}\\?lang=de" class="number" aria-describedby="progress-tip">${total}</a> / 100.000`),
      );
    });

    it('is not linked any more from the page of the person once the repository is private', async () => {
      const { pool } = shared.service.database;
      const isLinked = async (): Promise<boolean> => (await page(`/github/${ada.name}?lang=fr`)).text.includes(path);
      assert.equal(await isLinked(), true);
      await pool.query(`update repositories set is_private = true where name = 'engine-1'`);
      assert.equal(await isLinked(), false);
      await pool.query(`update repositories set is_private = false where name = 'engine-1'`);
    });
  });
});
