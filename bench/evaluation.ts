import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Database } from '../src/database/connections/connection.ts';
import { readConfigFile } from '../src/recognition/achievements/config-file.ts';
import type { Config } from '../src/recognition/rules/config.ts';
import { evaluationQueries, withEvaluationMemory } from '../src/recognition/rules/evaluation/evaluate-store.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const contributions = sized(1_000_000, 2000);
const people = sized(20_000, 100);
const rounds = sized(7, 1);

/**
 * Measures the evaluation of fifty achievements for all accounts over a million contributions, against one count of
 * them by account.
 */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const { database } = place;
  const repositoryId = await fill(database);
  const { config, reports } = readConfigFile(Buffer.from(fileOfFifty()));
  if (config.achievements.length !== 50 || reports.length > 0) throw new Error('the file has faults');
  const [ratios, times]: [number[], number[]] = [[], []];
  let earned = 0;
  for (let round = 0; round < rounds; round += 1) {
    const evaluating = await took(async () => {
      earned = await countEarned(database, repositoryId, config);
    });
    const counting = await took(() =>
      database.pool.query(
        'select account_id, count(*) from contributions where repository_id = $1 group by account_id',
        [repositoryId],
      ),
    );
    assert(earned > 0);
    ratios.push(evaluating / counting);
    times.push(evaluating);
  }
  return [
    {
      name: 'evaluation',
      ratio: median(ratios),
      goal: '<=10',
      baseline: 'select account_id, count(*) of the same repository',
      detail: `${Math.round(median(times))} ms for 50 achievements, ${earned.toLocaleString('en')} earned`,
    },
  ];
}

/**
 * Counts the earned awards without reading the rows out of the database, because storing them is not part of the
 * measurement.
 */
export async function countEarned({ connection }: Database, repositoryId: string, config: Config): Promise<number> {
  let earned = 0;
  for (const { query } of evaluationQueries(repositoryId, config)) {
    const { rows } = await withEvaluationMemory(connection, (transaction) =>
      sql<{ earned: number }>`select count(earned_at) as earned from (${query}) as evaluated`.execute(transaction),
    );
    earned += rows[0]?.earned ?? 0;
  }
  return earned;
}

/** Returns the time of some work in ms. */
export async function took(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/**
 * Returns a file like real ones: the same conditions with growing numbers, single labels, stretches of time, several
 * triggers, points.
 */
export function fileOfFifty(): string {
  const conditions: [actor: string, action: string, condition: string][] = [];
  for (const count of [1, 5, 10, 25, 50, 100, 250]) {
    conditions.push(['author', 'pull_request', `merged = true & count() >= ${count}`]);
    conditions.push(['author', 'issue', `count(labels in ['bug', 'enhancement']) >= ${count}`]);
  }
  for (const count of [1, 5, 25, 100]) {
    conditions.push(['author', 'issue_comment', `count() >= ${count}`]);
    conditions.push(['author', 'review', `count() >= ${count}`]);
    conditions.push(['resolved_by', 'issue', `count(reason = COMPLETED) >= ${count}`]);
  }
  for (const label of ['bug', 'enhancement', 'documentation', 'desktop']) {
    conditions.push(['author', 'pull_request', `merged = true & labels in ['${label}'] & count() >= 1`]);
    conditions.push(['author', 'pull_request', `merged = true & labels in ['${label}'] & count() >= 5`]);
  }
  for (const month of ['01', '04', '07', '10']) {
    conditions.push([
      'author',
      'pull_request',
      `merged = true & created_at >= ${month}-01-2024 & created_at <= ${month}-28-2024`,
    ]);
  }
  conditions.push(['author', 'star', 'starred = true'], ['author', 'issue', 'closed = true']);
  conditions.push(
    ['author', 'pull_request', 'age(days) < 2 & additions > 500'],
    ['reviewers', 'pull_request', 'count() >= 10'],
  );
  conditions.push(
    ['author', 'discussion', 'answered = true'],
    ['author', 'pull_request_comment', "emojis in ['HEART']"],
  );
  conditions.push(['author', 'point', 'sum(merges, reports) >= 500'], ['author', 'point', 'points >= 1000']);
  const single = conditions.map(([actor, action, condition]) => [{ actor, action, condition }]);
  const double = conditions.slice(0, 4).map(([actor, action, condition], index) => [
    { actor, action, condition, operator: index % 2 === 0 ? '&' : '|' },
    { actor: 'author', action: 'star', condition: 'starred = true' },
  ]);
  const achievements = [...single, ...double].map((triggers, index) => ({
    achievement: { name: `A${index}`, triggers: triggers.map((trigger) => ({ trigger })) },
  }));
  const actions = [point('merges', 'pull_request', 'merged = true'), point('reports', 'issue', "labels in ['bug']")];
  // JSON is valid YAML.
  return JSON.stringify({ version: '0.0.1', actions, achievements });
}

function point(name: string, action: string, condition: string): object {
  const trigger = { actor: 'author', action, condition, value: 10 };
  return { action: { type: 'point', name, triggers: [{ trigger }] } };
}

/** Stores a repository with a million contributions. */
export async function fill({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `with added as (
       insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       select gen_random_uuid(), 'github', n::text, '', case when n % 100 = 0 then 'bot' else 'user' end, 'person-' || n,
         now(), now(), now()
       from generate_series(1, ${people}) n returning id)
     insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, created_at, updated_at)
     select gen_random_uuid(), 'github', '1', 'R_1', (select id from added limit 1), 'bench', false, false, now(), now(),
       now(), now() returning id`,
  );
  const repositoryId = rows[0]?.id ?? '';
  // Few people make most contributions, as everywhere. The triggers for totals are not part of the measurement.
  await pool.query('alter table contributions disable trigger user');
  await pool.query('select setseed(0.5)');
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, account_id, resolved_by, reviewers, answered, created_at,
       updated_at, closed_at, merged_at, comments, emojis, reactors, additions, deletions, changed_files, commits, labels,
       reason, seen_at)
     select $1, kind, n::text, account, case when kind = 'issue' and is_closed then other end,
       case when kind = 'pull_request' then array[other] end, kind = 'discussion' and is_closed, at, at,
       case when is_closed and kind in ('issue', 'pull_request') then at + lasting end,
       case when is_closed and kind = 'pull_request' and n % 10 < 8 then at + lasting end,
       n % 20, case when n % 8 = 0 then '{HEART}'::text[] else '{}' end, case when n % 8 = 0 then array[other] else '{}' end,
       n % 1000, n % 300, n % 30, n % 9,
       case when n % 3 = 0 then array[(array['Bug', 'enhancement', 'documentation', 'desktop', 'help wanted'])[n % 5 + 1]] else '{}' end,
       case when kind = 'issue' and is_closed then 'COMPLETED' end, at
     from (
       select n, ids[1 + floor(${people} * random() ^ 3)::int] as account, ids[1 + floor(${people} * random() ^ 3)::int] as other,
         case when share <= 0.3 then 'pull_request' when share <= 0.55 then 'issue' when share <= 0.77 then 'issue_comment'
           when share <= 0.85 then 'pull_request_comment' when share <= 0.93 then 'review' when share <= 0.98 then 'star'
           else 'discussion' end as kind,
         timestamptz '2022-01-01' + random() * interval '3 years' as at, random() * interval '20 days' as lasting,
         random() < 0.8 as is_closed
       from generate_series(1, ${contributions}) n, lateral (select n / ${contributions}.0 as share) as part,
         (select array_agg(id order by external_id::int) as ids from accounts) as everybody) as made`,
    [repositoryId],
  );
  await pool.query('alter table contributions enable trigger user');
  await pool.query('vacuum analyze contributions, accounts');
  return repositoryId;
}
