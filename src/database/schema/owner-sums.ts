import {
  type CountedOfPerson,
  type CounterName,
  contributionKinds,
  listNeeds,
  ofContributions,
  type StoredCounter,
  sumColumns,
  summedNames,
  uncollectedColumn,
} from '../../model/kinds.ts';
import { advisoryLocks } from './advisory-locks.ts';

/** Returns the definitions of the functions that sum up the repositories of owners. */
export function summingFunctions(counters: readonly StoredCounter[]): string {
  return `${uncollectedKinds}\n${presentSums(counters)}\n${sumMarked}\n${listLock}`;
}

/**
 * `is_lost_with`: items of a kind are incomplete because of a skipped item: one of the kind itself, one of a list that
 * holds the kind among others, or one below which hosts list items of the kind. `uncollected_kinds`: the kinds of
 * contributions to a repository that are not completely known: not read yet, some skipped, or commits that have to be
 * counted again. The divided tables have statements of their own, because Citus relates them to no other table.
 * `is_read_again`: a stream whose last failure was this one is read again with the next request; the host has to change
 * before others can be.
 */
const uncollectedKinds = `
create or replace function is_lost_with(kind text, k skipped_items) returns boolean language sql immutable as $$
  select (k.kind = is_lost_with.kind and not k.is_counted)
    or (k.kind = 'issue_or_pull_request' and is_lost_with.kind in ('issue', 'pull_request') and not k.is_counted)
    or (k.kind = 'pull_request' and is_lost_with.kind = 'review' and not k.is_stored)
$$;

create or replace function is_read_again(failure text) returns boolean language sql immutable as $$
  select failure is null or failure = 'provider_unavailable'
$$;

create or replace function uncollected_kinds(repository uuid) returns text[] language plpgsql stable
set plan_cache_mode = force_generic_plan as $$
declare
  counts_again boolean := false;
begin
  perform from repository_totals where repository_id = repository and not commits_counted;
  if found then
    perform from commits where repository_id = repository limit 1;
    -- Commits of forks are not counted.
    counts_again := found and exists (select from repositories where id = repository and not is_fork);
  end if;
  return array(
    select kind from unnest('{${contributionKinds.join(',')}}'::text[]) as kinds (kind)
    where (kind = 'commit' and counts_again)
      or not exists (
        select from streams s where s.repository_id = repository and kind = any(s.covers) and s.completed_at is not null)
      or exists (select from skipped_items k where k.repository_id = repository and is_lost_with(kinds.kind, k)));
end $$;
`;

/** Everything that a repository adds to the sums of its owner; no row when it is hidden or deleted. */
function presentSums(counters: readonly StoredCounter[]): string {
  const needed = ofContributions(counters).filter(({ kind }) =>
    listNeeds('contributed_to').some((needs) => needs === kind),
  );
  const derived: Record<Exclude<CounterName, CountedOfPerson>, string> = {
    contributed_to: `coalesce((${needed.map(({ name }) => `t.${name}`).join(' + ')} > 0)::integer, 0)`,
    stars: 'case when r.is_fork then 0 else r.stars end',
  };
  const expressions: Record<string, string> = {
    ...Object.fromEntries(summedNames.map((name) => [name, `coalesce(t.${name}, 0)`])),
    ...derived,
    ...Object.fromEntries(
      contributionKinds.map((kind) => [uncollectedColumn(kind), `('${kind}' = any(u.kinds))::integer`]),
    ),
    unfinished: `(exists (
      select from streams s
      where s.repository_id = r.id and s.completed_at is null and is_read_again(s.failure)))::integer`,
  };
  return `
create or replace function present_sums(repository uuid) returns setof summed_repositories language plpgsql stable rows 1
set plan_cache_mode = force_generic_plan as $$
declare
  present summed_repositories;
  t repository_totals;
begin
  select * into t from repository_totals where repository_id = repository;
  select r.id, r.owner_id, r.is_private,
    ${sumColumns.map((name) => expressions[name]).join(',\n    ')}
  into present.repository_id, present.owner_id, present.is_private,
    ${sumColumns.map((name) => `present.${name}`).join(', ')}
  from repositories r cross join lateral (select uncollected_kinds(r.id) as kinds offset 0) u
  where r.id = repository and r.deleted_at is null;
  if found then return next present; end if;
end $$;
`;
}

/**
 * `mark_unsummed` marks repositories for the end of the transaction, where `sum_marked` appends the differences between
 * them and their former parts of the sums. Nothing is locked after these rows, and they are locked in the order of
 * their ids.
 */
const sumMarked = `
create or replace function mark_unsummed(ids uuid[]) returns void language sql as $$
  select set_config('plaudit.summed', '', true);
  insert into unsummed_repositories (transaction_id, repository_id)
  select distinct pg_current_xact_id(), id from unnest(ids) as marked (id) where id is not null
  on conflict do nothing
$$;

create or replace function sum_marked() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  ids uuid[];
  moved uuid[] := '{}';
  owners uuid[] := '{}';
  former record;
begin
  -- One call sums up all marks. The others must not look for more: each would read the deleted marks of all.
  if current_setting('plaudit.summed', true) = pg_current_xact_id()::text then return null; end if;
  perform set_config('plaudit.summed', pg_current_xact_id()::text, true);
  with marked as (
    delete from unsummed_repositories where transaction_id = pg_current_xact_id() returning repository_id
  )
  select array_agg(repository_id order by repository_id) into ids from marked;
  -- The marks of the transaction are gone since the first of them.
  if ids is null and not exists (select from unlisted_contributors where transaction_id = pg_current_xact_id()) then
    return null;
  end if;
  insert into summed_repositories (repository_id) select unnest(ids) order by 1 on conflict do nothing;
  perform from summed_repositories where repository_id = any(ids) order by repository_id for no key update;
  for former in
    select s.repository_id, s.owner_id, r.id is null as is_gone, r.owner_id as present_owner
    from summed_repositories s left join lateral (
      -- The offset keeps the planner from reading all repositories for many marks.
      select id, owner_id, is_private from repositories where id = s.repository_id and deleted_at is null offset 0) r on true
    where s.repository_id = any(ids) and (s.owner_id, s.is_private) is distinct from (r.owner_id, r.is_private)
  loop
    -- A statement of its own, because Citus relates no table that is divided by repository to one that is not.
    perform from contributor_totals where repository_id = former.repository_id limit 1;
    if found or former.is_gone then
      moved := moved || former.repository_id;
      owners := owners || former.owner_id || former.present_owner;
    end if;
  end loop;
  with present as materialized (
    select p.* from unnest(ids) as marked (id) cross join lateral present_sums(marked.id) p
  ), parts as (
    select 1 as sign, p.* from present p
    union all
    select -1, s.* from summed_repositories s where s.repository_id = any(ids)
  ), appended as (
    insert into owner_sums (owner_id, is_private, ${sumColumns.join(', ')})
    select owner_id, is_private, ${sumColumns.map(signed).join(', ')}
    from parts where (select true from accounts a where a.id = parts.owner_id) group by owner_id, is_private
    having (${sumColumns.map(signed).join(', ')}) <> (${sumColumns.map(() => '0').join(', ')})
  ), absent as (
    delete from summed_repositories where repository_id = any(ids) and repository_id not in (
      select repository_id from present)
  )
  update summed_repositories s set (owner_id, is_private, ${sumColumns.join(', ')}) = (
    p.owner_id, p.is_private, ${sumColumns.map((name) => `p.${name}`).join(', ')})
  from present p where s.repository_id = p.repository_id and row(s.*) is distinct from row(p.*);
  perform list_marked(moved, array_remove(owners, null));
  delete from unlisted_contributors where transaction_id = pg_current_xact_id();
  return null;
end $$;
`;

/** A list of an owner that another transaction makes meanwhile is visible after this, and contains nothing of this one. */
const listLock = `
create or replace function wait_for_lists(owners uuid[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(${advisoryLocks.listing}, key)
  from (select distinct hashtext(id::text) as key from unnest(owners) as owner (id) order by key offset 0) keys;
end $$;
`;

function signed(column: string): string {
  return `sum(sign * ${column})`;
}
