import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readDefinitions } from '../../../src/database/schema/definitions.ts';
import { dividedNames } from '../../../src/database/tables/divided-tables.ts';
import { refusedIn } from '../../statements/refused.ts';
import { listProblems, loadParser, statementsIn } from '../../statements/rules.ts';
import { mixedIn } from '../../statements/undivided.ts';

const fine = [
  'select from contributions',
  'select from contributions c, commits k where c.repository_id = $1 and k.repository_id = $1',
  'select from contributions c left join contributions p on p.repository_id = c.repository_id and p.external_id = $1',
  'select from contributor_totals join contribution_days using (repository_id, account_id)',
  'select from contributions c where exists (select from commits k where k.repository_id = c.repository_id)',
  'select from contributions where repository_id = any($1) and kind in (select 1 from commits where repository_id in ($2))',
  'with c as (select from commits where repository_id = $1) delete from contributions using c where repository_id = $1',
  'select from contributions union all select from commits k, uncounted_commits u where u.repository_id = k.repository_id',
  'select from (select from contribution_days d) d cross join lateral (select from commits c where c.repository_id = d.repository_id) c',
  'with c as (select from contributions) select from c join commits k on k.repository_id = c.repository_id',
  'select from contributions c, commits k where k.repository_id = $1 and (c.repository_id in (select $1)) is true',
  'insert into uncounted_commits select repository_id, oid from commits',
  'select from contributions where account_id = $1; select from contributor_totals where account_id = $1',
];

const broken = {
  'select from commits; select from contributions c, commits k where c.repository_id = $1': 1,
  'select from contributions c join commits k on k.author = c.author': 2,
  'select from contributions c, commits k where c.repository_id = $1': 1,
  'select from contributions c, commits k where c.repository_id = $1 and (k.repository_id = $1 or true)': 1,
  'select from contributions c, commits k where c.repository_id = $1 and not k.repository_id = $1': 1,
  'select from contributions c, commits k where c.repository_id > k.repository_id': 2,
  'select 1 union all select from contributions c, commits k where c.repository_id = $1': 1,
  'select from (select from contribution_days d) d cross join lateral (select from commits c where c.oid = d.oid) c': 2,
  'select from contributions c, commits k where k.repository_id = $1 and (c.repository_id in (select $1)) is not true': 1,
  'update contributions c set kind = $1 from commits k where k.repository_id = $1': 1,
  'with c as (select from commits) delete from contributions where repository_id = $1': 1,
  'with c as (select from contributions) select from c join commits k on k.oid = c.oid': 2,
  'select from contributions c where c.repository_id = $1 and exists (select from commits k where k.oid = c.oid)': 1,
};

const separate = [
  'with c as (select from contributions where repository_id = $1) select from c join accounts a on a.id = c.account_id',
  'with r as (select id from repositories where owner_id = $1) select from commits c join r on r.id = c.repository_id',
  'select from commits c cross join lateral unnest(c.identity_ids) as u (id)',
  'select from contributions where account_id in (select id from accounts where name = $1)',
  'with c as (select from commits), n as materialized (select count_changes($1)::text from c) select from n',
  'with n as (select count_changes($1)) select from n',
  'insert into contributor_totals select r.id, a.id from repositories r join accounts a on a.id = r.owner_id',
];

const mixed = [
  'select from contributions c join accounts a on a.id = c.account_id',
  'select from contributions c, (accounts a join repositories r on r.owner_id = a.id)',
  'select from accounts a where exists (select from contributions c where c.account_id = a.id)',
  'select from contributions c where exists (select from accounts a where a.id = c.account_id)',
  'select from repositories r cross join lateral (select from commits c where c.repository_id = r.id limit 1) c',
  'select 1 union all select from contributions c join accounts a on a.id = c.account_id',
  'delete from contributions c using accounts a where a.id = c.account_id',
  'with c as (select from commits) select from contributions join accounts on true',
  'delete from contributions c using (select id from repositories) r where r.id = c.repository_id',
  'with c as (select from commits), n as materialized (select count_changes($1) from c) select from n',
];

const accepted = [
  'insert into star_events select 1 where not exists (select 1 from star_events) and exists (select 1 from contributions)',
  'select from contributions c where exists (select from commits k where k.oid = c.oid) and c.author in (select id from accounts)',
  'select from commits where author in (select id from accounts a where exists (select from opt_outs where id = 1))',
  'with c as (select from contributions) select from accounts where exists (select from repositories)',
  'update rankings set ended_at = now() where id = any(array(select id from rankings for update))',
  'delete from commits where repository_id = $1 and ctid = any(array(select ctid from commits where repository_id = $1 for update))',
  'select (select count(*) from unnest(c.identity_ids)) from commits c where c.repository_id = $1::uuid',
  'with p as (select * from commits c) select (select count(*) from unnest(p.identity_ids)) from p',
  'select from commits c cross join lateral unnest(c.identity_ids) as u (id)',
  'select (select count(*) from unnest(r.topics)) from repositories r where id in (select repository_id from commits)',
];

const refused = [
  'insert into star_events select 1 where not exists (select from star_events) and exists (select 1 from contributions)',
  'insert into unlisted_contributors select pg_current_xact_id(), account_id from contributor_totals where repository_id = $1',
  `with t as (select from contributor_totals), e as (
    update rankings set ended_at = now() where id = any(array(select id from rankings for no key update)) returning id)
  select from e`,
  'update streams set name = $1 where id in (select id from streams where id in (select 1 from commits) for no key update)',
  'delete from ranks where ranking_id = any(array(select id from rankings where exists (select 1 from commits) for update))',
  'select (select count(*) from unnest(c.identity_ids)) from commits c',
  `select (select count(*) from unnest(c.identity_ids) u (id) where u.id = $1)
  from n cross join lateral (select * from commits k where k.repository_id = n.repository_id) c`,
];

describe('refusal of other patterns that a cluster refuses', () => {
  before(loadParser);

  for (const statement of accepted) it(`allows: ${statement}`, () => assert.deepEqual(refusedIn(statement), []));

  for (const statement of refused) it(`refuses: ${statement}`, () => assert.equal(refusedIn(statement).length, 1));
});

describe('refusal of joins of divided tables with others', () => {
  before(loadParser);

  for (const statement of separate) it(`allows: ${statement}`, () => assert.deepEqual(mixedIn(statement), []));

  for (const statement of mixed) it(`refuses: ${statement}`, () => assert.equal(mixedIn(statement).length, 1));
});

describe('the rule for statements about divided tables', () => {
  before(loadParser);

  for (const statement of fine) it(`allows: ${statement}`, () => assert.deepEqual(listProblems(statement), []));

  for (const [statement, problems] of Object.entries(broken)) {
    it(`refuses: ${statement}`, () => assert.equal(listProblems(statement).length, problems));
  }

  it('holds in the functions of the database', () => {
    const definitions = readDefinitions().filter(({ statement }) =>
      dividedNames.some((name) => statement.includes(name)),
    );
    assert.ok(definitions.length > 3);
    for (const { object, statement } of definitions) {
      const statements = /language plpgsql/.test(statement) ? statementsIn(statement) : [toBody(statement)];
      assert.ok(statements.length > 0, object);
      assert.deepEqual(
        statements.flatMap((statement) => listProblems(statement).concat(mixedIn(statement), refusedIn(statement))),
        [],
        object,
      );
    }
  });
});

/** Returns the body of a function in SQL. */
function toBody(definition: string): string {
  return definition.split('$$')[1] ?? '';
}
