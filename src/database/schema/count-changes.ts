import { ofContributions, ofDays, ofPeople, type StoredCounter, summedNames } from '../../model/kinds.ts';

/**
 * Returns the definition of the function that adds changes to the totals, and records the people whom they concern. Each
 * change is about one counter: `added` for the account, also on the day, and `whole` for the repository, for which a
 * commit of several authors counts once. Every change has the day of its contribution: those of days that a check has
 * counted also change its sums, and one of a day that a check is counting has the check count it again. The rows of a day
 * become neighbours, so that lists and calendars of an owner read few blocks; the totals of the repository, which come
 * first, keep other transactions from its days.
 */
export function countingFunction(counters: readonly StoredCounter[]): string {
  const given = `unnest(repository_ids, account_ids, days, counter_names, added, whole)
    as c (repository_id, account_id, day, counter, added, whole)`;
  const changes = `${given} join repositories r on r.id = c.repository_id`;
  const [people, days] = [ofPeople(counters), ofDays(counters)];
  return `
create or replace function count_changes(
  repository_ids uuid[], account_ids uuid[], days date[], counter_names text[], added bigint[], whole bigint[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  checked record;
  before record;
  counts jsonb;
begin
  if repository_ids is null then return; end if;

  insert into repository_totals as t (repository_id, is_changed, ${names(counters)})
  select c.repository_id, true,
    ${sums(counters, 'whole')}
  from ${changes}
  group by c.repository_id order by c.repository_id
  on conflict (repository_id) do update set is_changed = true,
    ${additions(counters)};

${additionToChecks(counters, given)}
  perform mark_unsummed(array(
    select c.repository_id from ${changes}
    where c.counter in (${literals(people.filter(isSummed))}) and (c.whole <> 0 or c.added <> 0)));

  insert into unlisted_contributors (transaction_id, repository_id, account_id, added)
  select pg_current_xact_id(), c.repository_id, c.account_id, sum(c.added)
  from ${changes} join accounts a on a.id = c.account_id
  where c.counter in (${literals(ofContributions(counters))})
  group by c.repository_id, c.account_id having sum(c.added) <> 0;

  insert into contributor_totals as t (repository_id, account_id, ${names(people)})
  select c.repository_id, c.account_id,
    ${sums(people, 'added')}
  from ${changes} join accounts a on a.id = c.account_id
  where c.counter in (${literals(people)})
  group by c.repository_id, c.account_id order by c.repository_id, c.account_id
  on conflict (repository_id, account_id) do update set
    ${additions(people)};

  insert into contribution_days as t (account_id, repository_id, day, ${names(days)})
  select c.account_id, c.repository_id, c.day,
    ${sums(days, 'added')}
  from ${changes} join accounts a on a.id = c.account_id
  where c.counter in (${literals(days)})
  group by c.account_id, c.repository_id, c.day
  having bool_or(c.added <> 0)
  order by c.repository_id, c.day, c.account_id
  on conflict (account_id, repository_id, day) do update set
    ${additions(days)};

  if exists (select from unnest(added) as less where less < 0) then
    delete from contributor_totals t using (select distinct c.repository_id, c.account_id from ${given}) c
    where t.repository_id = c.repository_id and t.account_id = c.account_id
      and ${areZero(people)};
    delete from contribution_days t using (select distinct c.repository_id, c.account_id, c.day from ${given}) c
    where t.repository_id = c.repository_id and t.account_id = c.account_id and t.day = c.day
      and ${areZero(days)};
  end if;

  perform record_changed_contributors(array_agg(c.repository_id), array_agg(c.account_id))
  from unnest(repository_ids, account_ids, counter_names) as c (repository_id, account_id, counter)
  where c.account_id is not null and c.counter in (${literals(people)});
end $$;
`;
}

/**
 * Returns the statements that add changes to the sums of checks, which `contributions/totals/running-check-store.ts` defines, and remove the
 * mark of a day that is counted.
 */
function additionToChecks(counters: readonly StoredCounter[], given: string): string {
  const commits = literals(counters.filter(({ kind }) => kind === 'commit'));
  const people = literals(ofPeople(counters));
  return `
  for checked in
    select repository_id, checked_until, checked_counts, counting_day from repository_totals
    where repository_id = any(repository_ids) and (checked_until is not null or counting_day is not null)
  loop
    if checked.counting_day = any(days) then
      update repository_totals set counting_day = null where repository_id = checked.repository_id;
    end if;
    select jsonb_object_agg(s.counter, ((checked.checked_counts ->> s.counter)::bigint + s.whole)::text) into counts
    from (
      select c.counter, sum(c.whole) as whole from ${given}
      where c.repository_id = checked.repository_id and c.day < checked.checked_until and c.counter not in (${commits})
      group by c.counter having sum(c.whole) <> 0) s;
    select
      coalesce(sum(c.whole) filter (where c.counter in (${commits})), 0) as commits,
      coalesce(sum(c.added * hashtext(c.counter || ' ' || a.id)) filter (where c.counter in (${people})), 0) as people
    into before
    from ${given} left join accounts a on a.id = c.account_id
    where c.repository_id = checked.repository_id and c.day < checked.checked_until;
    continue when counts is null and (before.commits, before.people) = (0, 0);
    update repository_totals set checked_counts = checked_counts || coalesce(counts, '{}'),
      checked_commits = checked_commits + before.commits, checked_people = checked_people + before.people
    where repository_id = checked.repository_id;
  end loop;
`;
}

function isSummed(counter: StoredCounter): boolean {
  return summedNames.some((name) => name === counter.name);
}

function names(counters: readonly StoredCounter[]): string {
  return counters.map(({ name }) => name).join(', ');
}

function literals(counters: readonly StoredCounter[]): string {
  return counters.map(({ name }) => `'${name}'`).join(', ');
}

function sums(counters: readonly StoredCounter[], column: 'added' | 'whole'): string {
  return counters
    .map(({ name }) => `coalesce(sum(c.${column}) filter (where c.counter = '${name}'), 0)`)
    .join(',\n    ');
}

function additions(counters: readonly StoredCounter[]): string {
  return counters.map(({ name }) => `${name} = t.${name} + excluded.${name}`).join(',\n    ');
}

function areZero(counters: readonly StoredCounter[]): string {
  return counters.map(({ name }) => `t.${name} = 0`).join(' and ');
}
