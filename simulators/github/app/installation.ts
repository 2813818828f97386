import type { Account, Repository } from '../../world/model.ts';
import { time } from '../graphql/field-request.ts';
import { type ResponseContext, simpleAccount } from '../rest/accounts.ts';

/** The read permissions that the README lists for the App. */
export const readPermissions = {
  metadata: 'read',
  contents: 'read',
  issues: 'read',
  pull_requests: 'read',
  discussions: 'read',
  members: 'read',
} as const;
export type Permissions = Partial<Record<keyof typeof readPermissions | 'checks', 'read' | 'write'>>;

/** The installation of the App on one account. */
export interface Installation {
  id: number;
  accountId: number;
  selection: 'all' | 'selected';
  /** Ids of the repositories when `selection` is `selected`. */
  repositoryIds: Set<number>;
  permissions: Permissions;
  suspendedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export function covers(installation: Installation, repository: Repository): boolean {
  const { accountId, selection, repositoryIds } = installation;
  return repository.ownerId === accountId && (selection === 'all' || repositoryIds.has(repository.id));
}

/** Returns an installation as REST and payloads show it. */
export function describeInstallation(
  context: ResponseContext,
  app: { id: number; slug: string; events: readonly string[] },
  installation: Installation,
): object {
  const account = context.world.accountById(installation.accountId);
  if (account === undefined) throw new Error('the installation has no account');
  const { id, selection, suspendedAt, createdAt, updatedAt } = installation;
  return {
    id,
    account: simpleAccount(context, account),
    repository_selection: selection,
    access_tokens_url: `${context.apiUrl}/app/installations/${id}/access_tokens`,
    repositories_url: `${context.apiUrl}/installation/repositories`,
    html_url: `${context.origin}/${toPage(account)}settings/installations/${id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: installation.permissions,
    events: [...app.events],
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: suspendedAt === null ? null : simpleAccount(context, account),
    suspended_at: time(suspendedAt),
  };
}

function toPage({ type, login }: Account): string {
  return type === 'Organization' ? `organizations/${login}/` : '';
}

/** Returns a repository as payloads about installations show it. */
export function repositorySummary(context: ResponseContext, repository: Repository): object {
  const owner = context.world.accountById(repository.ownerId)?.login ?? 'ghost';
  return {
    id: repository.id,
    node_id: repository.nodeId,
    name: repository.name,
    full_name: `${owner}/${repository.name}`,
    private: repository.visibility !== 'public',
  };
}
