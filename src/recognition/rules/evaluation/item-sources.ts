import { type RawBuilder, sql } from 'kysely';
import { type Action, type Actor, canBeOwn } from '../conditions/vocabulary.ts';

/**
 * A statement in named parts, each of which may use those before it; PostgreSQL computes a part with several uses once.
 */
export class Statement {
  readonly #parts: RawBuilder<unknown>[] = [];

  add(name: string, query: RawBuilder<unknown>): void {
    this.#parts.push(sql`${sql.id(name)} as (${query})`);
  }

  /** Adds a part that PostgreSQL computes once and separately, even if it has a single use. */
  addOnce(name: string, query: RawBuilder<unknown>): void {
    this.#parts.push(sql`${sql.id(name)} as materialized (${query})`);
  }

  toSql<Row>(query: RawBuilder<Row>): RawBuilder<Row> {
    return this.#parts.length === 0 ? query : sql<Row>`with ${sql.join(this.#parts, sql`, `)} ${query}`;
  }
}

/**
 * The parts that a query reads first. Each reads either tables that are divided by repository or other tables, because a
 * Citus cluster relates only their results: docs/decisions/0087-statements-on-citus.md. PostgreSQL plans a part with one
 * use as if it were written in its place.
 */
export class Steps {
  readonly #parts = new Map<string, { name: string; query: RawBuilder<unknown> }>();

  /** Adds a part, once for the same key. @returns its name. */
  add(key: string, query: RawBuilder<unknown>): RawBuilder<unknown> {
    const { name } = this.#parts.get(key) ?? { name: `step${this.#parts.size}` };
    this.#parts.set(key, { name, query });
    return sql.id(name);
  }

  /** Returns the text before `select`, which must be built first. */
  toSql(): RawBuilder<unknown> {
    const parts = [...this.#parts.values()].map(({ name, query }) => sql`${sql.id(name)} as (${query})`);
    return parts.length === 0 ? sql`` : sql`with ${sql.join(parts)}`;
  }
}

/** The contributions and people that a statement is about. */
export interface Scope {
  /** One repository, or several, whose people may be of several hosts. */
  repositoryId: string | readonly string[];
  /**
   * Nothing from this moment on counts, as far as the stored dates show it; undefined to count everything that is
   * stored.
   */
  before: Date | undefined;
  /** The only people to evaluate; undefined for all. */
  accountIds: readonly string[] | undefined;
}

/** The contributions of one action, each once for every person whom the actor names; the alias of the row is `i`. */
export interface ItemSource {
  scope: Scope;
  action: Action;
  /** The parts that the query reads first; conditions add to them. */
  steps: Steps;
  /** A query for the authors of the contributions (`account_id`). */
  authors: RawBuilder<unknown>;
  /** The text after `from`, `where` included. */
  from: RawBuilder<unknown>;
  /** The same, with `lowerCaseLabels`. */
  fromWithLabels: RawBuilder<unknown>;
  person: RawBuilder<unknown>;
  createdAt: RawBuilder<unknown>;
  /** The moment at which the person did it, as far as it depends on no condition. */
  doneAt: RawBuilder<unknown>;
  /** The labels of the contribution; for a comment, those of the item that it belongs to. */
  lowerCaseLabels: RawBuilder<unknown>;
  /** The moments at which contributions count, and the range in which they have to be; absent: no restriction. */
  window?: { at: RawBuilder<unknown> | undefined; holds: (at: RawBuilder<unknown>) => RawBuilder<unknown> };
}

const kinds: Readonly<Record<Exclude<Action, 'point' | 'commit'>, readonly string[]>> = {
  pull_request: ['pull_request'],
  review: ['review'],
  issue: ['issue'],
  issue_comment: ['issue_comment'],
  pull_request_comment: ['pull_request_comment', 'review_comment'],
  discussion: ['discussion'],
  star: ['star'],
};
/** The kind of the items that contributions of an action belong to. */
export const parentKinds: Readonly<Partial<Record<Action, string>>> = {
  issue_comment: 'issue',
  pull_request_comment: 'pull_request',
};

/**
 * Returns the contributions of an action other than `point`, which compile.ts handles.
 * @param withoutOwn true: without reviews and comments of people on items of their own.
 */
export function itemSource(
  actor: Actor,
  action: Exclude<Action, 'point'>,
  scope: Scope,
  withoutOwn = false,
): ItemSource {
  if (action === 'commit') return commitSource(scope);
  const source = contributionSource(actor, action, scope);
  if (!withoutOwn || !canBeOwn({ actor, action })) return source;
  const isOfOther =
    actor === 'reviewers'
      ? sql`${source.person} is distinct from i.account_id`
      : sql`not exists (
          select from contributions item
          where item.repository_id = i.repository_id and item.kind = ${parentKinds[action] ?? 'pull_request'}
            and item.external_id = i.parent_external_id and item.account_id = i.account_id)`;
  return {
    ...source,
    from: sql`${source.from} and ${isOfOther}`,
    fromWithLabels: sql`${source.fromWithLabels} and ${isOfOther}`,
  };
}

function contributionSource(actor: Actor, action: Exclude<Action, 'point' | 'commit'>, scope: Scope): ItemSource {
  const { before } = scope;
  const createdAt = sql`i.created_at`;
  const { person, join, namesPeople, isEvaluated } = toPersonSql(actor, action, scope);
  const parentKind = parentKinds[action];
  const parent =
    parentKind === undefined
      ? sql``
      : sql`left join contributions parent on parent.repository_id = i.repository_id and parent.kind = ${parentKind}
          and parent.external_id = i.parent_external_id`;
  const [kind = action, ...others] = kinds[action];
  const isOfKind = others.length === 0 ? sql`i.kind = ${kind}` : sql`i.kind = any(${kinds[action]}::text[])`;
  const isBefore = before === undefined ? sql`` : sql`and i.created_at < ${before}`;
  const isInScope = sql`${isInRepositories(scope)} and ${isOfKind} and ${namesPeople} ${isBefore}`;
  const labels = parentKind === undefined ? sql`i.labels` : sql`parent.labels`;
  // The offset keeps the planner from computing the labels again at each use.
  const labelled = sql`(select i.*, ${lowerCase(labels)} as lower_case_labels from contributions i ${parent}
    where ${isInScope} offset 0) as i`;
  return {
    scope,
    action,
    steps: new Steps(),
    authors: sql`select distinct i.account_id from contributions i where ${isInScope}`,
    from: sql`contributions i ${join} where ${isEvaluated} and ${isInScope}`,
    fromWithLabels: sql`${labelled} ${join} where ${isEvaluated}`,
    person,
    createdAt,
    doneAt: actor === 'resolved_by' ? resolvedAt(action) : createdAt,
    lowerCaseLabels: sql`i.lower_case_labels`,
  };
}

/** For sources with people of which no condition is about the author. */
export const noAuthors = sql`select null::uuid as account_id where false`;

export function isInRepositories({ repositoryId }: Scope): RawBuilder<unknown> {
  const ids = typeof repositoryId === 'string' ? [repositoryId] : repositoryId;
  // A list is looked through for each row.
  return ids.length === 1 ? sql`i.repository_id = ${ids[0]}::uuid` : sql`i.repository_id = any(${ids}::uuid[])`;
}

function resolvedAt(action: Action): RawBuilder<unknown> {
  // Discussions that were collected before `answered_at` was fetched have only the time of their creation.
  return action === 'issue' ? sql`i.closed_at` : sql`coalesce(i.answered_at, i.created_at)`;
}

interface PersonSql {
  person: RawBuilder<unknown>;
  join: RawBuilder<unknown>;
  /** The condition that a contribution names a person, or one of the people to evaluate. */
  namesPeople: RawBuilder<unknown>;
  /** The condition that the person of a row is evaluated. */
  isEvaluated: RawBuilder<unknown>;
}

function toPersonSql(actor: Actor, action: Action, scope: Scope): PersonSql {
  const { accountIds } = scope;
  const isIncluded = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    accountIds === undefined ? sql`${column} is not null` : sql`${column} = any(${accountIds}::uuid[])`;
  const oneOfRow = (person: RawBuilder<unknown>, condition: RawBuilder<unknown>): PersonSql => ({
    person,
    join: sql``,
    namesPeople: sql`${isIncluded(person)} and ${condition}`,
    isEvaluated: sql`true`,
  });
  if (actor === 'author') return oneOfRow(sql`i.account_id`, sql`true`);
  if (actor === 'resolved_by' && action === 'discussion') return oneOfRow(sql`i.answered_by`, isAnswered(scope));
  if (actor === 'resolved_by') {
    return oneOfRow(sql`i.resolved_by`, sql`${effective(sql`i.closed_at`, scope)} is not null`);
  }
  const list = actor === 'assignees' ? sql`i.assignees` : sql`i.reviewers`;
  return {
    person: sql`people.id`,
    // A function in FROM would store its rows for each contribution.
    join: sql`cross join lateral (select unnest(${list}) as id, generate_subscripts(${list}, 1) as place) as people`,
    namesPeople:
      accountIds === undefined
        ? sql`${list} <> '{}'`
        : sql`${list} && ${accountIds}::uuid[] and ${isAmong(accountIds)}`,
    isEvaluated: sql`${isIncluded(sql`people.id`)} and (people.place = 1 or people.id <> all(${list}[:people.place - 1]))`,
  };
}

/** Returns SQL that is true where a list of `i` names accounts; it is that of the index `contributions_people`. */
function isAmong(accountIds: readonly string[]): RawBuilder<unknown> {
  const lists = sql`(i.assignees || i.reviewers || i.reactors)`;
  return sql`${lists} <> '{}' and ${lists} && ${accountIds}::uuid[]`;
}

/** Returns the commits of authors and co-authors. A person with several addresses in a commit counts once. */
function commitSource(scope: Scope): ItemSource {
  const { before, accountIds } = scope;
  const steps = new Steps();
  const isBefore = before === undefined ? sql`` : sql`and i.authored_at < ${before}`;
  const isEvaluated =
    accountIds === undefined ? sql`` : sql`and i.identity_ids && ${addressesInSql(accountIds, steps)}`;
  const found = steps.add(
    'commits',
    sql`select i.repository_id, i.oid, i.authored_at, i.identity_ids, i.additions, i.deletions, i.changed_files, i.files
      from commits i where ${isInRepositories(scope)} ${isBefore} ${isEvaluated}`,
  );
  const from = sql`${found} i
    cross join lateral unnest(i.identity_ids) with ordinality as address (id, place)
    join identities owner on owner.id = address.id and ${
      accountIds === undefined ? sql`owner.account_id is not null` : sql`owner.account_id = any(${accountIds}::uuid[])`
    }
    where (address.place = 1 or not exists (
        select from identities earlier
        where earlier.id = any(i.identity_ids[:address.place - 1]) and earlier.account_id = owner.account_id))`;
  const createdAt = sql`i.authored_at`;
  return {
    scope,
    action: 'commit',
    steps,
    authors: noAuthors,
    from,
    fromWithLabels: from,
    person: sql`owner.account_id`,
    createdAt,
    doneAt: createdAt,
    lowerCaseLabels: sql`null::text[]`,
  };
}

/** Returns SQL for the ids of the addresses of accounts. */
function addressesInSql(accountIds: readonly string[], steps: Steps): RawBuilder<unknown> {
  const found = steps.add(
    'addresses',
    sql`select array(select id from identities where account_id = any(${accountIds}::uuid[])) as ids`,
  );
  return sql`(select ids from ${found})::integer[]`;
}

/** Returns SQL for a date as it was known before `scope.before`: null when it was still to come. */
export function effective(column: RawBuilder<unknown>, { before }: Scope): RawBuilder<unknown> {
  return before === undefined ? column : sql`(case when ${column} < ${before} then ${column} end)`;
}

/** Returns SQL that is true for a discussion that had an accepted answer before `scope.before`. */
export function isAnswered({ before }: Scope): RawBuilder<unknown> {
  return before === undefined
    ? sql`i.answered`
    : sql`(i.answered and (i.answered_at is null or i.answered_at < ${before}))`;
}

/**
 * Returns SQL for an array of texts in lower case. The SQL converts the array as one text, which is several times
 * faster than unnesting it and aggregating its elements.
 */
export function lowerCase(list: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${list} = '{}' then ${list} else lower(${list}::text)::text[] end`;
}
