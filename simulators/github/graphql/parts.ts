import { authorAssociation } from '../../world/association.ts';
import type { Account, Discussion, Issue, PullRequest, Reactable, Reaction, Repository } from '../../world/model.ts';
import { reactionContents } from '../../world/model.ts';
import { connection, type Order, ordering, type PageArguments } from './connection.ts';
import { type FieldRequest, type Fields, time } from './field-request.ts';

/** Fields that several kinds of objects share: place, author, labels, people, reactions. */

export function toPage(context: FieldRequest, repository: Repository): string {
  const owner = context.world.accountById(repository.ownerId)?.login ?? 'ghost';
  return `${context.origin}/${owner}/${repository.name}`;
}

/** @param path the path of the item's page, below its repository. */
export function writtenFields(
  context: FieldRequest,
  repository: Repository,
  item: { nodeId: string; authorId: number; createdAt: Date; updatedAt: Date },
  path: string,
): Fields {
  const { nodeId, authorId, createdAt, updatedAt } = item;
  return {
    id: nodeId,
    createdAt: time(createdAt),
    updatedAt: time(updatedAt),
    publishedAt: time(createdAt),
    author: () => context.fieldsOf.author(authorId),
    authorAssociation: () => authorAssociation(context.world, repository, authorId),
    viewerDidAuthor: context.viewer.accountId === authorId,
    repository: () => context.fieldsOf.repository(repository),
    url: () => `${toPage(context, repository)}/${path}`,
    resourcePath: () => new URL(`${toPage(context, repository)}/${path}`).pathname,
  };
}

/** Returns the fields that issues, pull requests and discussions share. */
export function itemFields(
  context: FieldRequest,
  repository: Repository,
  item: Issue | PullRequest | Discussion,
  path: string,
): Fields {
  return {
    ...writtenFields(context, repository, item, path),
    ...reactableFields(context, item),
    databaseId: item.id,
    number: item.number,
    title: item.title,
    closedAt: time(item.closedAt),
    closed: item.closedAt !== null,
    locked: false,
    labels: (args: PageArguments & Order) => labels(item.labels, args),
  };
}

function labels(names: readonly string[], args: PageArguments & Order): Fields {
  const byPlace = names.map((name, index) => ({ name, index }));
  return connection(
    {
      name: 'labels',
      items: byPlace,
      ...ordering<(typeof byPlace)[number]>(
        { CREATED_AT: ({ index }) => index, NAME: ({ name }) => name },
        args,
        'CREATED_AT',
      ),
      id: ({ index }) => index,
      toNode: ({ name }) => ({
        id: `LA_${Buffer.from(name).toString('base64url')}`,
        name,
        color: 'ededed',
        description: null,
        isDefault: false,
      }),
    },
    args,
  );
}

/** Lists the accounts that still exist and are people. */
export function users(context: FieldRequest, name: string, ids: readonly number[], args: PageArguments): Fields {
  const accounts = ids
    .map((id, index) => ({ account: context.world.accountById(id), index }))
    .filter((entry): entry is { account: Account; index: number } => entry.account?.type === 'User');
  return connection(
    {
      name,
      items: accounts,
      key: ({ index }) => index,
      id: ({ index }) => index,
      toNode: ({ account }) => context.fieldsOf.account(account),
    },
    args,
  );
}

export function reactableFields(context: FieldRequest, item: Reactable): Fields {
  const { viewer } = context;
  return {
    viewerCanReact: viewer.accountId !== null,
    reactions: (args: PageArguments & Order & { content?: string | null }) => {
      const items = item.reactions.filter(({ content }) => !args.content || args.content === content);
      return {
        ...connection(
          {
            name: 'reactions',
            items,
            ...ordering({ CREATED_AT: ({ createdAt }: Reaction) => createdAt.getTime() }, args, 'CREATED_AT'),
            id: ({ id }) => id,
            toNode: (reaction) => reactionFields(context, reaction),
          },
          args,
        ),
        viewerHasReacted: items.some(({ accountId }) => accountId === viewer.accountId),
      };
    },
    reactionGroups: () =>
      reactionContents.map((content) => {
        const group = item.reactions.filter((reaction) => reaction.content === content);
        return {
          content,
          createdAt: time(group[0]?.createdAt ?? null),
          viewerHasReacted: group.some(({ accountId }) => accountId === viewer.accountId),
          reactors: (args: PageArguments) => reactors(context, group, args),
          users: (args: PageArguments) => reactors(context, group, args),
        };
      }),
  };
}

function reactors(context: FieldRequest, group: readonly Reaction[], args: PageArguments): Fields {
  return users(
    context,
    'reactors',
    group.map(({ accountId }) => accountId),
    args,
  );
}

function reactionFields(context: FieldRequest, reaction: Reaction): Fields {
  return {
    __typename: 'Reaction',
    id: `REA_${reaction.id}`,
    databaseId: reaction.id,
    content: reaction.content,
    createdAt: time(reaction.createdAt),
    user: () => context.fieldsOf.author(reaction.accountId),
  };
}
