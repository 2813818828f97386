import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import {
  endAppInstallations,
  findFormerlyInstalled,
  listFormerlyInstalled,
} from '../../accounts/installations/store.ts';
import { checkAccessJob } from '../../accounts/jobs.ts';
import {
  endWithdrawal,
  findWithdrawn,
  hideWithdrawn,
  recordWithdrawn,
  type WithdrawnCredential,
} from '../../accounts/repositories/hide-store.ts';
import { findById } from '../../accounts/store.ts';
import { deleteWithdrawnTotals } from '../../contributions/totals/private-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import { announce } from '../../database/queue/announcements.ts';
import { renewLookup } from '../../database/queue/lookups.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { Call, KnownAccount, KnownRepository, Provider } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import { countsSince, findUnchecked, saveAccess } from '../../recognition/achievements/awards/access-store.ts';
import type { SyncContext } from '../context.ts';
import { listAgain, updateInstalledRepositories } from '../installations/load-installations.ts';
import { runLookup } from './look-up.ts';
import { recordVisibility } from './record-state.ts';

/** The most repositories of one run: further ones are checked when the awards are requested again. */
const atOnce = 20;

/** The most repositories that one transaction hides. */
const repositoriesAtOnce = 100;
/** The most rows of private totals that one transaction deletes. */
const totalsAtOnce = 1000;
/** The most accounts whose repositories one transaction marks as no longer installed. */
const accountsAtOnce = 20;
/** The most transactions of one job, after which it lets other jobs run. */
const maxRounds = 100;
/** The delay, in ms, before another try to hide repositories that other transactions were changing. */
const busyDelayMs = 1000;

/** Hides, in batches, what withdrawn credentials showed. Readers do not see it since the withdrawal. */
const hideWithdrawnJob: Job = { task: 'hide_withdrawn', payload: {}, key: 'hide_withdrawn', priority: 40 };

const EndOfApp = Type.Object({ provider: Type.String(), after: Type.String() });

function endAppJob(provider: string, after: string): Job {
  return { task: 'end_app', payload: { provider, after }, key: `end_app ${provider}`, priority: 40 };
}

/**
 * Hides from readers what only credentials show which are not configured any more, because the operator took the
 * permission back; the stored rows follow by jobs. Must be called after the providers have their installations.
 */
export async function withdrawLostCredentials(context: SyncContext): Promise<void> {
  const { connection, providers, now } = context;
  const listCredentialNames = (name: string): string[] => providers.get(name)?.privateData?.credentialNames() ?? [];
  for (const [name, provider] of providers) {
    const elsewhere = [...providers.keys()].filter((other) => other !== name).flatMap(listCredentialNames);
    await inTransaction(connection, async (transaction) => {
      const credentialNames = listCredentialNames(name);
      if (await recordWithdrawn(transaction, name, { credentialNames, elsewhere }, now())) {
        await addJob(transaction, hideWithdrawnJob);
      }
      if (provider.app === undefined && (await endAppInstallations(transaction, name, now()))) {
        await addJob(transaction, endAppJob(name, ''));
      }
    });
  }
}

/** Returns the jobs that follow the withdrawal of credentials. */
export function createWithdrawalTasks(context: SyncContext): Record<string, Task> {
  return {
    hide_withdrawn: {
      urgency: 'background',
      // The schedule also continues after a failure.
      schedule: '*/10 * * * *',
      run: async (_payload, signal) => {
        const { connection, now } = context;
        const end = await hideAllWithdrawn(context, signal);
        if (end === 'done') return;
        const delayMs = end === 'busy' ? busyDelayMs : 0;
        await addJob(connection, { ...hideWithdrawnJob, runAt: new Date(now().getTime() + delayMs) });
      },
    },
    end_app: {
      urgency: 'background',
      run: (payload) => endApp(context, Value.Parse(EndOfApp, payload)),
    },
  };
}

/**
 * Hides what withdrawn credentials showed, a batch in each transaction. A run that is stopped between two batches leaves
 * the rest to the next one.
 * @returns `busy` when rows are left that other transactions were changing.
 */
export async function hideAllWithdrawn(context: SyncContext, signal: AbortSignal): Promise<'done' | 'more' | 'busy'> {
  let rounds = 0;
  let isBusy = false;
  for (const credential of await findWithdrawn(context.connection)) {
    for (;;) {
      if (signal.aborted || rounds >= maxRounds) return 'more';
      rounds += 1;
      if (!(await hideSome(context, credential))) break;
    }
    if (!(await endWithdrawal(context.connection, credential))) isBusy = true;
  }
  return isBusy ? 'busy' : 'done';
}

/** Hides or deletes a batch of the private data of one credential. @returns false when nothing was found. */
async function hideSome(context: SyncContext, credential: WithdrawnCredential): Promise<boolean> {
  return inTransaction(context.connection, async (transaction) => {
    const now = context.now();
    const owners = await hideWithdrawn(transaction, credential, { limit: repositoriesAtOnce, now });
    // The last batch of an owner counts everything again; until then readers leave the rest out themselves.
    const [begun, ended] = [owners.filter(({ isMore }) => isMore), owners.filter(({ isMore }) => !isMore)];
    for (const { ownerId } of begun) await announce(transaction, { kind: 'account', key: ownerId });
    const ids = ended.map(({ ownerId }) => ownerId);
    await recordVisibility(context, transaction, ids);
    await listAgain(context, transaction, await findFormerlyInstalled(transaction, ids));
    return owners.length > 0 || (await deleteWithdrawnTotals(transaction, credential, totalsAtOnce)) > 0;
  });
}

/** Marks repositories of some accounts whose app installations have ended as no longer installed, and queues the rest. */
async function endApp(context: SyncContext, { provider, after }: Static<typeof EndOfApp>): Promise<void> {
  await inTransaction(context.connection, async (transaction) => {
    const { ids, next } = await listFormerlyInstalled(transaction, provider, { after, limit: accountsAtOnce });
    await updateInstalledRepositories(context, transaction, { ids });
    if (next !== undefined) await addJob(transaction, endAppJob(provider, next));
  });
}

/** Looks up which private repositories an account may see, for the awards from them that are about to be shown. */
export async function checkAccess(context: SyncContext, accountId: string, call: Call): Promise<void> {
  const { connection, now, providers } = context;
  const job = checkAccessJob(accountId);
  await runLookup(context, job, call, async () => {
    const account = await findById(connection, accountId);
    const provider = providers.get(account?.provider ?? '');
    if (account === undefined || provider === undefined) return accountId;
    for (const { id, known } of await findUnchecked(connection, accountId, {
      since: countsSince(now()),
      limit: atOnce,
    })) {
      const checkedAt = now();
      const hasAccess = await mayBeSeen(provider, known, account, call);
      await saveAccess(connection, { accountId, repositoryId: id }, { hasAccess, checkedAt });
      await renewLookup(connection, job.key, now());
    }
    return accountId;
  });
}

/** Returns whether the host confirms the access. A response that cannot be read confirms nothing. */
async function mayBeSeen(
  { privateData }: Provider,
  repository: KnownRepository,
  person: KnownAccount,
  call: Call,
): Promise<boolean> {
  try {
    return (await privateData?.maySee?.(repository, person, call)) ?? false;
  } catch (error) {
    if (error instanceof AppError && error.code === 'provider_invalid_response') return false;
    throw error;
  }
}
