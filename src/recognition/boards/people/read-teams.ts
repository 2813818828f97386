import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import type { Provider } from '../../../hosts/interface/provider.ts';
import { AppError } from '../../../model/errors.ts';
import { requestBoardsWithTeam } from '../ranking/request-store.ts';
import { type DueTeam, deleteTeams, findDueTeams, saveTeam } from './team-store.ts';

export interface TeamContext {
  connection: Connection;
  providers: ReadonlyMap<string, Pick<Provider, 'teams'>>;
  now: () => Date;
}

/** The most teams that one run reads; the next run reads others. */
const teamsAtOnce = 50;

/**
 * Reads the members of the teams that boards name. When a host does not show a team, or gives no usable response, the
 * known members stay for some days.
 */
export async function readTeams({ connection, providers, now }: TeamContext, signal: AbortSignal): Promise<void> {
  for (const team of await findDueTeams(connection, now(), teamsAtOnce)) {
    const ids = await readMembers(providers, team, signal);
    await inTransaction(connection, async (transaction) => {
      if (await saveTeam(transaction, team, ids, now())) await requestBoardsWithTeam(transaction, team.name);
    });
  }
  await deleteTeams(connection);
}

async function readMembers(
  providers: TeamContext['providers'],
  team: DueTeam,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } } as const;
  try {
    return (await providers.get(team.provider)?.teams?.readMembers(team, call)) ?? null;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return null;
    throw error;
  }
}
