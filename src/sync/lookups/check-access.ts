import { checkAccessJob } from '../../accounts/jobs.ts';
import { findById } from '../../accounts/store.ts';
import { renewLookup } from '../../database/queue/lookups.ts';
import type { Call, KnownAccount, KnownRepository, Provider } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import { countsSince, findUnchecked, saveAccess } from '../../recognition/achievements/awards/access-store.ts';
import type { SyncContext } from '../context.ts';
import { runLookup } from './look-up.ts';

/** The most repositories of one run: further ones are checked when the awards are requested again. */
const atOnce = 20;

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
