import assert from 'node:assert/strict';
import { startGiteaSimulator } from '../../../simulators/gitea/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import type { HostReply, SimulatedHost } from '../../../simulators/host.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import type { Account, Issue, Repository } from '../../../simulators/world/model.ts';
import type { DiscussionPlace, Notifier } from '../../../src/hosts/interface/notifier.ts';
import type { Provider } from '../../../src/hosts/interface/provider.ts';
import { type ContractWorld, createContractWorld } from '../../contract/world.ts';
import { giteaProvider } from '../providers/gitea/gitea-provider.ts';
import { gitlabProvider } from '../providers/gitlab/gitlab-provider.ts';

/** Code hosts without discussions, on which comments are written on issues. */

export interface RunningHost extends SimulatedHost {
  apiUrl: string;
  requests: string[];
  readingTokens: Set<string>;
  overrides: ((path: string) => HostReply | undefined)[];
}

export interface IssueHost {
  name: 'gitea' | 'gitlab';
  /** The scope that a token needs to write. */
  scope: string;
  start: (world: ContractWorld) => Promise<RunningHost>;
  provider: (host: RunningHost, options: { tokens: readonly string[]; now: () => Date }) => Provider & AsyncDisposable;
  externalIdOf: (account: Account) => string;
}

/** Pages are short, so that a list has several. */
const maxPerPage = 2;

export const issueHosts: readonly IssueHost[] = [
  {
    name: 'gitea',
    scope: 'write:issue',
    start: ({ world }) => startGiteaSimulator({ world, maxPerPage }),
    provider: giteaProvider,
    externalIdOf: ({ id }) => String(id),
  },
  {
    name: 'gitlab',
    scope: 'api',
    start: ({ world }) => startGitLabSimulator({ world, maxPerPage }),
    provider: gitlabProvider,
    externalIdOf: ({ id, type }) => (type === 'Organization' ? `group:${id}` : String(id)),
  },
];

export interface Fixture extends ContractWorld {
  hosted: RunningHost;
  provider: Provider;
  notifier: Notifier | undefined;
  toPlace: (repository: Repository, title: string) => DiscussionPlace;
}

/** Runs a check with a notifier that writes comments with these tokens, in this order. */
export async function withNotifier(
  host: IssueHost,
  tokens: readonly TokenName[],
  check: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const world = createContractWorld();
  await using hosted = await host.start(world);
  await using provider = host.provider(hosted, { tokens: tokens.map((name) => hosted.tokens[name]), now: world.now });
  const toPlace = ({ ownerId, name }: Repository, title: string): DiscussionPlace => {
    const owner = world.world.accountById(ownerId) ?? assert.fail(name);
    return { owner: host.externalIdOf(owner), ownerName: owner.login, repository: name, title };
  };
  await check({ ...world, hosted, provider, notifier: provider.notifier, toPlace });
}

/** Opens issues a minute after each other; options that are not given have their defaults. */
export function openIssues(
  { world, people, advance }: Pick<ContractWorld, 'world' | 'people' | 'advance'>,
  repository: Repository,
  titles: readonly string[],
): Issue[] {
  return titles.map((title) => {
    advance(60);
    return Object.assign(addIssue(world, repository, { author: people.ada }), { title });
  });
}

/** Returns the author and the text of each comment on an issue. */
export const listComments = ({ comments }: Issue): [number | null, string][] =>
  comments.map(({ authorId, body }) => [authorId, body]);
