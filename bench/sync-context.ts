import { v7 as uuidv7 } from 'uuid';
import type { Connection } from '../src/database/connections/connection.ts';
import type { Provider } from '../src/hosts/interface/provider.ts';
import { AchievementFiles } from '../src/recognition/achievements/files/achievement-files.ts';
import { BoardFiles } from '../src/recognition/boards/file/board-files.ts';
import { newAppliers, newPollDemands, type SyncContext } from '../src/sync/context.ts';
import { Claims } from '../src/sync/streams/claims.ts';

function refuse(reported: unknown): never {
  throw new Error('synchronization reported a failure or a difference', { cause: reported });
}

/**
 * Returns the dependencies of synchronization for one provider, without a service around them and without copies of
 * histories. Any report of a failure, a skipped part or a difference is an error, unless `own` receives it.
 */
export function toSyncContext(connection: Connection, provider: Provider, own: Partial<SyncContext> = {}): SyncContext {
  const context: Omit<SyncContext, 'histories'> = {
    connection,
    providers: new Map([['github', provider]]),
    node: 1,
    claims: new Claims(),
    pollDemands: newPollDemands(),
    appliers: newAppliers(),
    achievementFiles: new AchievementFiles(),
    boardFiles: new BoardFiles(new Map([['github', provider]])),
    freshForMs: 3_600_000,
    now: () => new Date(),
    newId: uuidv7,
    onFailure: refuse,
    onStreamFailure: refuse,
    onSkip: refuse,
    onDrift: refuse,
    onOrphans: refuse,
    ...own,
  };
  return context as SyncContext;
}
