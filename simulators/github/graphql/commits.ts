import { toLineCounts } from '../../world/line-counts.ts';
import type { Commit, Person, Repository } from '../../world/model.ts';
import { connection, type PageArguments } from './connection.ts';
import { type FieldRequest, type Fields, time } from './field-request.ts';

export function commitFields(context: FieldRequest, repository: Repository, commit: Commit): Fields {
  const { additions, deletions, changedFiles } = toLineCounts(commit);
  return {
    __typename: 'Commit',
    id: `C_${commit.oid}`,
    oid: commit.oid,
    abbreviatedOid: commit.oid.slice(0, 7),
    message: commit.message,
    messageHeadline: commit.message.split('\n', 1)[0],
    authoredDate: time(commit.authoredAt),
    committedDate: time(commit.committedAt),
    additions,
    deletions,
    changedFiles,
    changedFilesIfAvailable: changedFiles,
    repository: () => context.fieldsOf.repository(repository),
    author: () => personFields(context, commit.author, commit.authoredAt),
    committer: () => personFields(context, commit.committer, commit.committedAt),
    authors: (args: PageArguments) =>
      connection(
        {
          name: 'authors',
          items: distinct([commit.author, ...commit.coAuthors]).map((person, index) => ({ person, index })),
          key: ({ index }) => index,
          id: ({ index }) => index,
          toNode: ({ person }) => personFields(context, person, commit.authoredAt),
        },
        args,
      ),
    history: (args: PageArguments & Record<'since' | 'until' | 'path' | 'author', string | null | undefined>) => {
      if (args.path || args.author) throw new Error('the simulator knows a history by its dates only');
      const upTo = repository.commits.findIndex(({ oid }) => oid === commit.oid) + 1;
      return connection(
        {
          name: 'history',
          items: repository.commits
            .slice(0, upTo)
            .map((item, index) => ({ item, index }))
            .filter(({ item }) => !args.since || item.committedAt >= new Date(args.since))
            .filter(({ item }) => !args.until || item.committedAt <= new Date(args.until)),
          key: ({ index }) => index,
          id: ({ index }) => index,
          descending: true,
          toNode: ({ item }) => context.fieldsOf.commit(repository, item),
        },
        args,
      );
    },
  };
}

function personFields(context: FieldRequest, { name, email }: Person, at: Date): Fields {
  return {
    __typename: 'GitActor',
    name,
    email,
    date: time(at),
    user: () => {
      const account = context.world.accountByEmail(email);
      // Commits of a bot have no user here.
      return account?.type === 'User' ? context.fieldsOf.account(account) : null;
    },
  };
}

function distinct(people: readonly Person[]): Person[] {
  return [...new Map(people.map((person) => [person.email.toLowerCase(), person])).values()];
}
