import type { Call, ContributionPage, KnownRepository, Position } from '../../provider.ts';
import type { GitHubClient } from '../client.ts';

/** With whom more is asked for. */
export interface Asking {
  client: GitHubClient;
  call: Call;
}

/** Reads a page of a stream. */
export type PageReader = (
  client: GitHubClient,
  repository: KnownRepository,
  position: Position & { pageSize: number },
  call: Call,
) => Promise<ContributionPage>;
