import { advisoryLocks } from './advisory-locks.ts';

/**
 * Returns the definitions of the locks of transactions that change the contributions or commits of a repository, or its
 * totals, in the place of triggers; see docs/decisions/0064-tables-by-repository.md. Both return whether the people of the
 * repository are noted, because its achievements are evaluated or boards count it; null: it is not stored.
 * `hold_repository` keeps it, and the accounts that the transaction finds after it, from being erased until the transaction
 * ends. `lock_totals` also locks its totals, so that one transaction at a time changes the contributions that they count.
 * `hold_accounts` keeps accounts that were found earlier from being erased, and returns those that are still stored.
 * `hold_identity_uses` locks the rows of repositories that name some addresses, one repository after another: Citus locks no rows of several.
 * `hold_signing` keeps seasons that the transaction does not see from being signed until it ends.
 * `commit_in_two_phases` has the transaction commit on the coordinator of a Citus cluster and on a worker, or on neither. Citus commits on
 * a single worker first, and a failure before the commit of the coordinator would leave contributions without what follows from them. It
 * prepares the commit of the worker when the transaction also changes a local table that it knows (`ExecuteLocalTaskListExtended` and
 * `CoordinatedTransactionCallback` of Citus 13.2.2).
 * `mark_commits_uncounted` has all commits of some repositories counted again, and locks their totals in the order of their ids. Until
 * then their commits are not completely known.
 */
export function lockingFunctions(): string {
  return `
create or replace function commit_in_two_phases() returns void language plpgsql as $$
begin
  if to_regclass('two_phase_commits') is not null then delete from two_phase_commits; end if;
end $$;

create or replace function hold_repository(repository uuid) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(${advisoryLocks.erasure});
  perform commit_in_two_phases();
  perform from repositories where id = repository for key share;
  if not found then return null; end if;
  return exists (select from achievement_files where repository_id = repository and path is not null)
    or exists (select from board_repositories where repository_id = repository);
end $$;

create or replace function lock_totals(repository uuid) returns boolean language plpgsql as $$
declare
  is_followed constant boolean := hold_repository(repository);
begin
  if is_followed is null then return null; end if;
  insert into repository_totals as t (repository_id) values (repository)
  on conflict (repository_id) do update set is_changed = t.is_changed where false;
  return is_followed;
end $$;

create or replace function hold_identity_uses(repositories uuid[], ids integer[])
returns table (repository uuid, is_counted boolean) language plpgsql as $$
begin
  perform commit_in_two_phases();
  for repository in select distinct r.id from unnest(repositories) as r (id) order by 1 loop
    return query select u.repository_id, u.is_counted from repository_identities u
    where u.repository_id = repository and u.identity_id = any(ids) order by u.identity_id for no key update;
  end loop;
end $$;

create or replace function mark_commits_uncounted(ids uuid[]) returns void language plpgsql as $$
declare
  repository uuid;
begin
  perform commit_in_two_phases();
  for repository in select distinct u.id from unnest(ids) as u (id) order by 1 loop
    perform from repositories where id = repository;
    continue when not found;
    -- A count that stores the first totals of the repository is not visible yet: the conflict waits for it.
    insert into repository_totals as t (repository_id) values (repository)
    on conflict (repository_id) do update set commits_counted = false, recounted_until = null, recounted_commits = 0,
      checked_commits = null, counting_day = null;
    perform mark_unsummed(array[repository]);
  end loop;
end $$;

create or replace function hold_signing() returns void language sql as $$
  select pg_advisory_xact_lock_shared(${advisoryLocks.signing})
$$;

create or replace function hold_accounts(ids uuid[]) returns uuid[] language sql as $$
  select array(select id from accounts where id = any(ids) and erased_at is null order by id for key share)
$$;
`;
}
