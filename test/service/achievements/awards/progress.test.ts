import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ada, engines } from '../../../integration/access/owner.ts';
import { simple } from '../../../integration/achievements/awards/every-feature.ts';
import { storeCollected, storeFile } from '../../../integration/achievements/awards/stored-file.ts';
import { clock } from '../../../time.ts';
import { readPages } from '../../http/read-pages.ts';
import { shareStoredService } from '../../http/stored-service.ts';

const talk = [
  { actor: 'author', action: 'issue', condition: 'created_at > 2001-01-01', value: 5 },
  { actor: 'author', action: 'pull_request', condition: 'created_at > 2001-01-01', value: 3 },
  { actor: 'author', action: 'commit', condition: 'count() >= 1', value: 7 },
] as const;

describe('progress to the next award', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  let repositoryId = '';

  before(async () => {
    const { database } = shared.service;
    const { rows } = await database.pool.query<{ id: string }>(
      `select r.id from repositories r join accounts a on a.id = r.owner_id where r.name = 'engine-1' and a.name = $1`,
      [engines.name],
    );
    repositoryId = rows[0]?.id ?? assert.fail();
    // The people who opened issues also comment on them, and give a star.
    for (const kind of ['issue_comment', 'star']) {
      await database.pool.query(
        `insert into contributions select (jsonb_populate_record(c, jsonb_build_object('kind', $2::text,
             'external_id', $2 || c.external_id, 'parent_external_id', c.external_id, 'number', null, 'title', null))).*
         from contributions c where c.repository_id = $1 and c.kind = 'issue' and ($2 <> 'star' or c.external_id = (
           select min(o.external_id) from contributions o
           where o.repository_id = $1 and o.kind = 'issue' and o.account_id = c.account_id))`,
        [repositoryId, kind],
      );
    }
    await storeCollected(database, repositoryId, now());
  });

  it('is not found before one is begun', async () => {
    assert.equal((await shared.service.get(`${ada.name}/achievements/next`)).status, 404);
    assert.equal((await shared.service.get(`${engines.name}/achievements/next`)).status, 404);
  });

  const byAuthor = (kind: string): string =>
    `select account_id as person from contributions where repository_id = $1 and kind = '${kind}'`;
  const byCommit = `select account_id as person from contributor_totals where repository_id = $1 and commits > 0`;
  for (const [trigger, people, once] of [
    ['author commit: count() >= 1000', byCommit, 0],
    ['author issue: created_at > 2001-01-01 & count() > 1000', byAuthor('issue'), 0],
    ['author pull_request: count() >= 1000', byAuthor('pull_request'), 0],
    ['author review: count() >= 1000', byAuthor('review'), 0],
    ['author star: count() >= 1000', byAuthor('star'), 0],
    ['author issue_comment: count() >= 1000', byAuthor('issue_comment'), 0],
    [
      'author point: sum(talk) >= 100000',
      `${byAuthor('pull_request')} and account_id in (${byCommit.replace('account_id as person', 'account_id')})`,
      7,
    ],
  ] as const) {
    it(`lists what counts, which adds up to the number on the card: ${trigger}`, async () => {
      const { service } = shared;
      await storeFile(service.database, repositoryId, {
        pointActions: [{ name: 'talk', rules: [...talk] }],
        achievements: [simple(`Much of ${trigger.split(':')[0]}`, trigger)],
      });
      const { rows } = await service.database.pool.query<{ name: string }>(
        `select a.name from (${people}) p join accounts a on a.id = p.person where a.type = 'user' and not a.hidden
         group by a.name order by count(*) desc, a.name limit 1`,
        [repositoryId],
      );
      const { name } = rows[0] ?? assert.fail('a person is missing');
      const path = `${name}/achievements/next`;
      const { items, meta } = await readPages(service, `${path}?limit=2`);
      const { total, itemised, remainder, progress } = meta as {
        total: number;
        itemised: number;
        remainder: Record<string, number>;
        progress: { present: number; wanted: number; condition: string };
      };
      const listed = items as { amount: number; title: string; url: string; repository: string }[];
      const sum = listed.reduce((all, { amount }) => all + amount, 0);
      assert.ok(listed.length > 0);
      if (trigger.includes('issue_comment')) assert.match(listed[0]?.url ?? '', /\/issues\/\d+$/);
      assert.deepEqual([sum, sum + once, remainder['earned-once'] ?? 0], [itemised, total, once]);
      assert.equal(new Set(listed.map(({ url, title }) => `${url} ${title}`)).size, listed.length);
      assert.equal(progress.present, total);
      const { text } = await service.get(`${name}/achievements?format=svg&title=${once}${trigger.split(' ')[1]}`);
      const format = (value: number): string => new Intl.NumberFormat('en').format(value);
      assert.ok(text.includes(`(${format(total)} / ${format(progress.wanted)})`), text);
      const { text: table } = await service.get(`${path}?format=csv&limit=100`);
      assert.equal(table.trimEnd().split('\r\n').length, listed.length + 1);
    });
  }
});
