import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { eraseRest } from '../../../bench/erase-person.ts';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { eraseNextRepositories } from '../../../src/accounts/repositories/erase-store.ts';
import { hideRepository } from '../../../src/accounts/repositories/hide-store.ts';
import { findById } from '../../../src/accounts/store.ts';
import { eraseNext } from '../../../src/app/owners/erasure/erase.ts';
import { beginErasure } from '../../../src/app/owners/erasure/store.ts';
import { currentRanking } from '../../../src/contributions/contributors/ranking.ts';
import { removeErasedRows } from '../../../src/contributions/items/erase-store.ts';
import { checkSummed } from '../../../src/contributions/totals/owner-sum-store.ts';
import { recountPart } from '../../../src/contributions/totals/recount-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Change, Provider } from '../../../src/hosts/interface/provider.ts';
import { Computations } from '../../../src/http/pipeline/computations.ts';
import type { Account } from '../../../src/model/account.ts';
import { AppError } from '../../../src/model/errors.ts';
import { awardRepository } from '../../../src/recognition/achievements/awards/award.ts';
import { readConfigFile } from '../../../src/recognition/achievements/config-file.ts';
import { saveFile } from '../../../src/recognition/achievements/files/store.ts';
import type { SyncContext } from '../../../src/sync/context.ts';
import { applyDeliveries } from '../../../src/sync/deliveries/apply-deliveries.ts';
import { saveDeliveries } from '../../../src/sync/deliveries/store.ts';
import { saveListed } from '../../../src/sync/listings/list-repositories.ts';
import { pollRepository } from '../../../src/sync/listings/poll-repository.ts';
import { checkAccounts } from '../../../src/sync/lookups/check-accounts.ts';
import { refresh } from '../../../src/sync/lookups/look-up.ts';
import { recordState, recordVisibility } from '../../../src/sync/lookups/record-state.ts';
import { collectAccount, collectNamedRepository } from '../../../src/sync/streams/collect.ts';
import { checkOwners, recountSome } from '../../../src/sync/totals/recount-owners.ts';
import { updateTotals } from '../../../src/sync/totals/stored-totals.ts';
import type { TestDatabase } from '../../database.ts';
import { findOrphans } from '../../integration/contributions/orphans.ts';
import { createContext, listed, newWork, owners, people, repositoriesOfOwner, toActor } from './busy-host.ts';
import { type Deadlocks, findDeadlocks, shortenDeadlocks } from './deadlocks.ts';
import { countCommits, createFurtherJobs, prepareFurther } from './further-jobs.ts';

/** Jobs that write about the same owners, people and repositories at the same time. */

const workers = 8;

export interface Competition extends Checked, Deadlocks {
  /** The number of ended jobs by name. */
  jobs: Record<string, number>;
}

interface Checked {
  /** Sums or lists of owners that differ from their repositories, and columns that name rows that are not stored. */
  different: string[];
  /** Repositories of which totals differed from their contributions. */
  miscounted: number;
}

/** Runs jobs against each other until `isOver`. */
export async function compete({ url }: TestDatabase, isOver: (jobs: number) => boolean): Promise<Competition> {
  await shortenDeadlocks(url);
  const database = await openDatabase({ databaseUrl: url, dataDir: '/nonexistent', log: () => {}, jobConnections: 16 });
  let ended: Omit<Competition, keyof Deadlocks>;
  try {
    ended = await runJobs(database.connection, isOver);
  } finally {
    await database.close();
  }
  return { ...(await findDeadlocks(url)), ...ended };
}

async function runJobs(
  connection: Connection,
  isOver: (jobs: number) => boolean,
): Promise<Omit<Competition, keyof Deadlocks>> {
  const jobs: Record<string, number> = {};
  const world = await startWorld(connection);
  let done = 0;
  const run = async (): Promise<void> => {
    while (!isOver(done)) {
      done += 1;
      const [name, work] = pick(Object.entries(world.jobs));
      await work().catch(ignoreRace);
      jobs[name] = (jobs[name] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: workers }, run));
  return { jobs, ...(await check(world.context)) };
}

/** A repository may be erased while a job reads it, or read by another job. */
function ignoreRace(error: unknown): void {
  if (!(error instanceof AppError) || !['conflict', 'not_found'].includes(error.code)) throw error;
}

async function check(context: SyncContext): Promise<Checked> {
  await eraseRest(context.connection, new Date());
  const different = await findOrphans(context.connection);
  const counting = { ...context, onFailure: (error: unknown) => void different.push(String(error)) };
  await recountSome(counting, checkSummed, undefined);
  await recountSome(counting, checkOwners(context), undefined);
  const repositories = await context.connection.selectFrom('repositories').select('id').execute();
  let miscounted = 0;
  for (const { id } of repositories) {
    await countCommits(context, id);
    if (await inTransaction(context.connection, (transaction) => recountRepository(transaction, id))) miscounted += 1;
  }
  return { different, miscounted };
}

interface World {
  context: SyncContext;
  jobs: Record<string, () => Promise<unknown>>;
}

async function startWorld(connection: Connection): Promise<World> {
  const hiddenNames = new Set<string>();
  const context = createContext(connection, hiddenNames);
  await addOwners(context);
  await addAchievements(context, (await storedRepository(context)).id);
  await prepareFurther(context);
  const jobs = { ...readingJobs(context, hiddenNames), ...changingJobs(context), ...otherJobs(context) };
  return { context, jobs: { ...jobs, ...createFurtherJobs(context) } };
}

type Jobs = World['jobs'];

function storedRepository({ connection }: SyncContext) {
  const stored = connection.selectFrom('repositories').select(['id', 'owner_id', 'name', 'external_id']).execute();
  return stored.then(pick);
}

async function ofOwner(
  { connection }: SyncContext,
  work: (account: Account, repository: string) => Promise<unknown>,
): Promise<void> {
  const owner = `user-${random(owners)}`;
  const account = await findAccount(connection, owner);
  if (account !== undefined) await work(account, toName(owner, random(repositoriesOfOwner)));
}

/** Jobs that store what the host shows. */
function readingJobs(context: SyncContext, hiddenNames: Set<string>): Jobs {
  const list = () => ofOwner(context, (account, name) => save(context, account, [listed(name, hiddenNames.has(name))]));
  return {
    'collect a repository': () =>
      ofOwner(context, ({ id }, repository) =>
        collectNamedRepository(context, { accountId: id, repository, withPrivate: true }, newWork()),
      ),
    'collect an account': () => ofOwner(context, ({ id }) => collectAccount(context, id, newWork(), undefined)),
    'refresh an account': () => ofOwner(context, ({ id }) => refresh(context, id, newWork().call)),
    'check accounts': () => checkAccounts(context, newWork().call),
    poll: async () => pollRepository(context, (await storedRepository(context)).id, newWork()),
    list,
    'list a repository of another visibility': async () => {
      const name = toName(`user-${random(owners)}`, random(repositoriesOfOwner));
      if (!hiddenNames.delete(name)) hiddenNames.add(name);
      await list();
    },
  };
}

/** Jobs that follow deliveries, hide and erase. */
function changingJobs(context: SyncContext): Jobs {
  const { connection } = context;
  const deliver = async (changes: Change[]) => {
    const delivery = { provider: 'github', id: uuidv7(), event: 'x', receivedAt: new Date(), changes };
    await saveDeliveries(connection, [delivery]);
    await applyDeliveries(context);
  };
  const toStar = (repository: string, account: string): Change => ({
    type: 'star',
    repository,
    account: toActor(account),
    at: new Date().toISOString(),
    isTakenBack: false,
  });
  return {
    deliver: async () => {
      const { external_id: repository, name } = await storedRepository(context);
      const owner = `user-${name.split('-')[1]}`;
      await deliver([
        { type: 'contributions', repository, owner, ownerName: owner, streams: ['issues'] },
        toStar(repository, `user-${random(owners)}`),
        toStar(repository, `person-${random(people)}`),
        { type: 'owned', account: owner, name: owner },
      ]);
    },
    'deliver what hides': async () => {
      const { external_id: repository } = await storedRepository(context);
      await deliver([{ type: 'hidden', repository, onlyPrivate: false }]);
    },
    hide: async () => {
      const { id, owner_id: ownerId } = await storedRepository(context);
      await inTransaction(connection, async (transaction) => {
        await hideRepository(transaction, id, new Date());
        await recordVisibility(context, transaction, [ownerId]);
      });
    },
    'erase a repository': () => eraseNextRepositories(connection, { repositories: 1, rows: 10 }),
    'remove erased rows': () => removeErasedRows(connection, 10),
    'erase a person': async () => {
      const account = await findAccount(connection, `person-${random(people)}`);
      if (account === undefined) return;
      await inTransaction(connection, async (transaction) => {
        await beginErasure(transaction, account, new Date());
        await transaction.deleteFrom('opt_outs').execute();
      });
    },
    'erase the rest of people': () => eraseNext(connection, new Date(), few),
  };
}

const always = { from: null, until: null };
const few = { hidden: 2, erased: 1, found: 20, changed: 5, listed: 3, seasons: 2, others: 3 };

/** Jobs that count and evaluate. */
function otherJobs(context: SyncContext): Jobs {
  const { connection } = context;
  return {
    award: async () => awardRepository(context, (await storedRepository(context)).id),
    recount: async () => {
      const { id, owner_id: ownerId } = await storedRepository(context);
      await inTransaction(connection, (transaction) => recountRepository(transaction, id));
      for (const part of [always, { languages: always }])
        await inTransaction(connection, (transaction) => recountPart(transaction, id, part));
      await inTransaction(connection, (transaction) => recordState(context, transaction, ownerId));
    },
    'update totals': () => updateTotals(context),
    'read a list': async () => {
      const { owner_id: accountId } = await storedRepository(context);
      const computations = new Computations({ findVersion: () => 0 }, () => false);
      const scope = { accountId, repositoryId: null, includesPrivate: random(2) === 0 };
      await currentRanking({ connection, computations, now: context.now }, scope);
    },
    'recount owners': async () => {
      await recountSome(context, checkSummed, undefined);
      await recountSome(context, checkOwners(context), undefined);
    },
  };
}

async function findAccount(connection: Connection, name: string): Promise<Account | undefined> {
  const row = await connection.selectFrom('accounts').select('id').where('external_id', '=', name).executeTakeFirst();
  return row && findById(connection, row.id);
}

const toName = (owner: string, index: number): string => `repository-${owner.slice(5)}-${index}`;

async function addOwners(context: SyncContext): Promise<void> {
  const { connection } = context;
  for (let index = 0; index < owners; index += 1) {
    const owner = `user-${index}`;
    const now = new Date();
    const times = { named_at: new Date(0), fetched_at: now, listed_at: now, created_at: now, updated_at: now };
    const facts = { provider: 'github', external_id: owner, handle: owner, type: 'user', name: owner } as const;
    await connection
      .insertInto('accounts')
      .values({ id: uuidv7(), ...facts, ...times })
      .execute();
    const account = await findAccount(connection, owner);
    assert.ok(account);
    const names = Array.from({ length: repositoriesOfOwner }, (_, repository) => toName(owner, repository));
    await save(
      context,
      account,
      names.map((name) => listed(name, false)),
    );
  }
  await connection.updateTable('repositories').set({ installed_at: new Date() }).execute();
}

async function addAchievements(context: SyncContext, repositoryId: string): Promise<void> {
  const trigger = { actor: 'author', action: 'issue', condition: 'count() >= 2' };
  const text = JSON.stringify({
    version: '0.0.1',
    achievements: [{ achievement: { name: 'some', triggers: [{ trigger }] } }],
  });
  const file = { path: '.plaudit/config.yaml', oid: '1', ...readConfigFile(Buffer.from(text)) };
  await inTransaction(context.connection, (transaction) =>
    saveFile(transaction, repositoryId, { file, revision: '1', readAt: new Date(), isNew: true, newId: uuidv7 }),
  );
}

async function save(context: SyncContext, account: Account, repositories: ReturnType<typeof listed>[]): Promise<void> {
  const provider = context.providers.get('github') as Provider;
  await inTransaction(context.connection, (transaction) =>
    saveListed(context, transaction, { account, provider, repositories, listedAt: new Date() }),
  );
}

function random(limit: number): number {
  return Math.floor(Math.random() * limit);
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}
