import type { Call, ContributionPage, KnownRepository, Position } from '../../interface/provider.ts';
import type { GitHubClient } from '../client.ts';

/** The client and the call for further requests about a page. */
export interface StreamContext {
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
