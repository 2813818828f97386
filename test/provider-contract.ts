import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contribution } from '../src/contributions/contribution.ts';
import type {
  AccountReport,
  Call,
  KnownAccount,
  KnownRepository,
  Provider,
  Stream,
} from '../src/providers/provider.ts';
import { type ContractWorld, createContractWorld } from './contract-world.ts';
import type { TokenName } from './github/tokens.ts';
import type { Account, Issue, PullRequest, Reactable, Repository, Review } from './github/world/model.ts';
import { deleteAccount, renameAccount } from './github/world/mutations.ts';

/**
 * What every provider has to do: the same small world, told in each one's own wire format, gives the same domain objects.
 * A new provider comes in by a file that calls this with a simulator of its own.
 */
export interface ContractHost {
  name: string;
  /** Serves a world in the provider's wire format. */
  start(world: ContractWorld): Promise<Told>;
  /** Fields of details that the host cannot tell, or tells otherwise. */
  untold: readonly (keyof NonNullable<Contribution['details']>)[];
  /** Whether it has lists of who starred when. */
  tellsStars: boolean;
}

export interface Told extends AsyncDisposable {
  /** @param tokens by whose names it asks. */
  provider(tokens: readonly TokenName[]): Provider;
  tokens: Record<TokenName, string>;
}

interface Scene extends ContractWorld {
  told: Told;
  provider: Provider;
}

export function providerContract(host: ContractHost): void {
  const contract = (what: string, tokens: readonly TokenName[], check: (scene: Scene) => Promise<void>): void => {
    test(`${host.name}: ${what}`, async () => {
      const world = createContractWorld();
      await using told = await host.start(world);
      const provider = told.provider(tokens);
      try {
        await check({ ...world, told, provider });
      } finally {
        await provider.close();
      }
    });
  };

  contract('a user and an organization are told apart, in any spelling', ['public_only'], async (scene) => {
    const { provider, people, organization } = scene;
    for (const account of [people.ada, people.olive, organization]) {
      for (const spelling of [account.login, account.login.toUpperCase()]) {
        const report = await last(provider.lookUp(spelling, call()));
        assert.deepEqual(identityOf(report), expectedIdentity(account), spelling);
      }
    }
    assert.equal(await last(provider.lookUp('nobody-at-all', call())), undefined);
    assert.equal(await last(provider.lookUp(people.gone.login, call())), undefined);
  });

  contract(
    'stars of what a user owns are counted, without forks; what is unknown is named',
    ['public_only'],
    async (scene) => {
      const { provider, people } = scene;
      const report = await last(provider.lookUp(people.ada.login, call()));
      assert.equal(report?.counters.stars, 0);
      for (const name of ['issues', 'pull_requests'] as const) {
        assert.ok(report?.missing.includes(name) !== (report?.counters[name] !== undefined), name);
      }
    },
  );

  contract(
    'a stored account is found again, until it is gone',
    ['public_only'],
    async ({ provider, people, world }) => {
      const known = await knownAccount(provider, people.max.login);
      assert.equal((await last(provider.refresh(known, call())))?.account.externalId, known.externalId);
      deleteAccount(world, people.max);
      assert.equal(await last(provider.refresh(known, call())), undefined);
    },
  );

  contract('repositories are listed, private ones with what shows them', ['organization_member'], async (scene) => {
    const { provider, organization, repositories } = scene;
    const owner = await knownAccount(provider, organization.login);
    const listed = await listAll(provider, owner);
    const names = listed.map(({ name, isPrivate, access }) => ({
      name,
      isPrivate,
      isShownBySomething: access !== null,
    }));
    assert.deepEqual(names, [
      { name: 'empty', isPrivate: false, isShownBySomething: false },
      { name: 'handbook', isPrivate: false, isShownBySomething: false },
      { name: 'secret-plans', isPrivate: true, isShownBySomething: true },
    ]);
    const { handbook } = repositories;
    const [empty, found] = listed;
    assert.equal(found?.externalId, String(handbook.id));
    assert.equal(found?.description, 'How engines are kept');
    assert.equal(found?.language, 'TypeScript');
    assert.equal(found?.stars, 2);
    assert.equal(found?.defaultBranch, 'main');
    assert.equal(empty?.defaultBranch, '');
  });

  contract(
    'one repository is found by its name, a private one if it is asked for',
    ['organization_member'],
    async (scene) => {
      const { provider, organization } = scene;
      const owner = await knownAccount(provider, organization.login);
      const find = (name: string, withPrivate: boolean) =>
        provider.findRepository(owner, name, { withPrivate }, call());
      assert.equal((await find('HANDBOOK', false))?.name, 'handbook');
      assert.equal(await find('secret-plans', false), null);
      assert.equal((await find('secret-plans', true))?.isPrivate, true);
      assert.equal(await find('nothing', true), null);
    },
  );

  contract('contributions are counted from every page', ['public_only'], async (scene) => {
    const { provider, repositories, world } = scene;
    const read = await readEverything(scene, repositories.handbook, { isDeep: false });
    const expected = expectedContributions(scene, repositories.handbook)
      .filter(({ kind }) => kind === 'issue' || kind === 'pull_request' || kind === 'review')
      .map(({ details: _details, ...rest }) => rest);
    assert.deepEqual(
      read.contributions.map(({ details: _details, ...rest }) => rest),
      expected,
    );
    const known = world.accounts
      .filter(({ isDeleted, type }) => !isDeleted && type === 'User')
      .map(({ id }) => String(id));
    for (const { externalId } of read.actors) assert.ok(known.includes(externalId), externalId);
    assert.ok(provider.streams.some(({ covers }) => covers.includes('review')));
  });

  contract('installed repositories are told with everything', ['organization_member'], async (scene) => {
    const { repositories } = scene;
    const { contributions } = await readEverything(scene, repositories.handbook, { isDeep: true });
    const strip = ({ details, ...rest }: Contribution) => ({
      ...rest,
      details: details && withoutUntold(details, host),
    });
    const expected = expectedContributions(scene, repositories.handbook);
    assert.deepEqual(contributions.filter(({ kind }) => kind !== 'star').map(strip), expected.map(strip));
    assert.equal(
      contributions.some(({ kind }) => kind === 'star'),
      host.tellsStars,
    );
  });

  contract('what changed since a time is told, and what changed before need not be', ['public_only'], async (scene) => {
    const { provider, world, repositories, issues, now, advance } = scene;
    const since = now();
    advance(60);
    const [issue] = issues;
    assert.ok(issue);
    issue.updatedAt = now();
    world.changed();
    advance(60);
    const repository = await knownRepository(scene, repositories.handbook);
    const position = { cursor: null, since, pageSize: null, isDeep: false };
    const page = await provider.readStream('issues', repository, position, call());
    assert.deepEqual(
      page.contributions.map(({ externalId }) => externalId),
      [String(issue.id)],
    );
    assert.equal(page.total, null);
  });

  contract(
    'how a repository stands is told, and how much there is of everything',
    ['organization_member'],
    async (scene) => {
      const { provider, repositories, world } = scene;
      const repository = await knownRepository(scene, repositories.handbook);
      const tip = await provider.readTip(repository, call());
      assert.equal(tip?.repository.name, 'handbook');
      const expected = expectedContributions(scene, repositories.handbook);
      for (const { kind, externalId, details } of tip?.page.contributions ?? []) {
        const known = expected.find((one) => one.kind === kind && one.externalId === externalId);
        if (kind === 'star') continue;
        assert.deepEqual(
          withoutUntold(details, host),
          withoutUntold(known?.details ?? null, host),
          `${kind} ${externalId}`,
        );
      }
      assert.ok((tip?.page.contributions.length ?? 0) > 0);
      const totals = await provider.readTotals(repository, call());
      const { issues, pulls } = scene;
      assert.equal(totals['issues'], issues.length);
      assert.equal(totals['pull_requests'], pulls.length);
      assert.equal(totals['commits'], repositories.handbook.commits.length);
      assert.equal(totals['comments'], 3);
      repositories.handbook.visibility = 'private';
      world.changed();
      assert.equal(await provider.readTip(repository, call()), null);
    },
  );

  contract('addresses in commits are found to be whose they are', ['public_only'], async (scene) => {
    const { provider, repositories, people } = scene;
    const { commits } = repositories.handbook;
    const identities = commits.map(({ author, oid }) => ({ email: author.email.toLowerCase(), oid }));
    const repository = await knownRepository(scene, repositories.handbook);
    const resolved = await provider.resolveIdentities(repository, identities, call());
    const idOf = (email: string): string | null | undefined => {
      const actor = resolved.get(email);
      return actor === undefined ? undefined : (actor?.externalId ?? null);
    };
    assert.equal(idOf('ada@mail.example'), String(people.ada.id));
    assert.equal(idOf('ada.lovelace@work.example'), String(people.ada.id));
    assert.equal(idOf('nobody@elsewhere.example'), null);
    assert.equal(idOf('gone-babbage@mail.example'), null);
  });

  contract(
    'git reads what is public without a credential, and what is private with one',
    ['organization_member'],
    async (scene) => {
      const { provider, repositories } = scene;
      const { signal } = new AbortController();
      const open = await provider.gitRemote(await knownRepository(scene, repositories.handbook), signal);
      assert.equal(open.authorization, undefined);
      const hidden = await provider.gitRemote(await knownRepository(scene, repositories.plans), signal);
      assert.match(hidden.authorization ?? '', /^Basic /);
    },
  );

  contract('a token proves whose it is, and what its bearer administers', ['public_only'], async (scene) => {
    const { provider, told, people, organization } = scene;
    const prove = (token: TokenName, name: string) =>
      provider.proveOwnership(told.tokens[token], name, AbortSignal.timeout(10_000));
    const own = await prove('user', people.ada.login.toUpperCase());
    assert.deepEqual([own.bearer.externalId, own.owned?.externalId], [String(people.ada.id), String(people.ada.id)]);
    const administered = await prove('organization_admin', organization.login);
    assert.deepEqual(
      [administered.owned?.externalId, administered.owned?.type],
      [String(organization.id), 'organization'],
    );
    for (const [token, name] of [
      ['organization_member', organization.login],
      ['user', organization.login],
      ['organization_admin', people.ada.login],
      ['user', 'nobody-at-all'],
      ['user', '..'],
    ] as const) {
      assert.equal((await prove(token, name)).owned, null, `${token} ${name}`);
    }
    const stranger = provider.proveOwnership('no-token-at-all', organization.login, AbortSignal.timeout(10_000));
    await assert.rejects(stranger, { code: 'unauthenticated' });
  });

  contract('deliveries that nobody signed are refused', ['public_only'], async ({ provider }) => {
    assert.throws(() => provider.readDelivery({}, Buffer.from('{}')), { code: 'unauthenticated' });
  });

  contract('a renamed account is itself', ['public_only'], async ({ provider, people, world }) => {
    renameAccount(world, people.max, 'max-renamed');
    const report = await last(provider.lookUp('max-renamed', call()));
    assert.equal(report?.account.externalId, String(people.max.id));
  });
}

export function call(): Call {
  return { urgency: 'interactive', signal: AbortSignal.timeout(30_000), cost: { requests: 0, points: 0 } };
}

async function last(reports: AsyncGenerator<AccountReport, void, undefined>): Promise<AccountReport | undefined> {
  let report: AccountReport | undefined;
  for await (report of reports);
  return report;
}

function identityOf(report: AccountReport | undefined) {
  if (report === undefined) return undefined;
  const { externalId, type, name, displayName, website, description } = report.account;
  return { externalId, type, name, displayName, website, description };
}

function expectedIdentity({ id, type, login, name, websiteUrl, bio }: Account) {
  return {
    externalId: String(id),
    type: type === 'Organization' ? 'organization' : 'user',
    name: login,
    displayName: name ?? '',
    website: websiteUrl ?? '',
    description: bio ?? '',
  };
}

async function knownAccount(provider: Provider, login: string): Promise<KnownAccount> {
  const report = await last(provider.lookUp(login, call()));
  assert.ok(report, login);
  return { ...report.account, memory: report.memory };
}

async function listAll(provider: Provider, owner: KnownAccount) {
  const found = [];
  let cursor: string | null = null;
  do {
    const page = await provider.listRepositories(owner, cursor, call());
    found.push(...page.repositories);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return [...new Map(found.map((one) => [one.externalId, one])).values()].toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  );
}

async function knownRepository({ provider, world }: Scene, { name, ownerId }: Repository): Promise<KnownRepository> {
  const login = world.accountById(ownerId)?.login ?? assert.fail();
  const owner = await knownAccount(provider, login);
  const found = await provider.findRepository(owner, name, { withPrivate: true }, call());
  assert.ok(found, name);
  return { owner: login, name, handle: found.handle, defaultBranch: found.defaultBranch, access: found.access };
}

async function readEverything(scene: Scene, shown: Repository, { isDeep }: { isDeep: boolean }) {
  const { provider } = scene;
  const repository = await knownRepository(scene, shown);
  const wanted = (stream: Stream): boolean => isDeep || stream.isForInstalled !== true;
  const contributions = new Map<string, Contribution>();
  const actors = [];
  for (const { name } of provider.streams.filter(wanted)) {
    let cursor: string | null = null;
    let pageSize: number | null = null;
    do {
      const position = { cursor, since: null, pageSize, isDeep };
      const page = await provider.readStream(name, repository, position, call());
      for (const one of page.contributions) contributions.set(`${one.kind} ${one.externalId}`, normalized(one));
      actors.push(...page.actors);
      ({ nextCursor: cursor, pageSize } = page);
    } while (cursor !== null);
  }
  return { contributions: [...contributions.values()].toSorted(inOrder), actors };
}

/** Comments are told with the number of what they are below, and joined when they are stored. */
function normalized(contribution: Contribution): Contribution {
  const { kind, details } = contribution;
  const parentExternalId = kind === 'review' ? contribution.parentExternalId : null;
  return { ...contribution, parentExternalId, details: details && sorted(details) };
}

type Details = NonNullable<Contribution['details']>;

function sorted(details: Details): Details {
  const { assignees, reviewers, labels, reactions } = details;
  return {
    ...details,
    assignees: assignees.toSorted(),
    reviewers: reviewers.toSorted(),
    labels: labels.toSorted(),
    reactions: reactions.toSorted((one, other) => (one.emoji < other.emoji ? -1 : 1)),
  };
}

function withoutUntold(details: Details | null, { untold }: ContractHost): Partial<Details> | null {
  return (
    details &&
    Object.fromEntries(Object.entries(sorted(details)).filter(([name]) => !untold.some((one) => one === name)))
  );
}

function inOrder(one: Contribution, other: Contribution): number {
  return `${one.kind} ${one.externalId}` < `${other.kind} ${other.externalId}` ? -1 : 1;
}

/** Everything in a repository as the domain knows it, taken from the world alone. */
function expectedContributions({ world }: ContractWorld, repository: Repository): Contribution[] {
  const idOf = (id: number | null): string | null => {
    const account = id === null ? undefined : world.accountById(id);
    return account === undefined ? null : String(account.id);
  };
  const ids = (people: readonly number[]): string[] => people.map(idOf).filter((id) => id !== null);
  const reactions = ({ reactions: told }: Reactable): Details['reactions'] =>
    told.map(({ content, accountId }) => ({ emoji: content, reactor: idOf(accountId) }));
  const resolver = ({ closedAt, closings }: Issue): string | null => {
    const closing = closings.at(-1);
    if (closedAt === null || closing === undefined) return null;
    const { closer, byId } = closing;
    const pull =
      closer !== null && 'pullRequestId' in closer
        ? repository.pullRequests.find(({ id }) => id === closer.pullRequestId)
        : undefined;
    return idOf(pull?.authorId ?? byId);
  };
  const common = (item: Issue | PullRequest): Details => ({
    ...nothing,
    number: item.number,
    assignees: ids(item.assigneeIds),
    labels: item.labels,
    reactions: reactions(item),
    comments: item.comments.length,
  });
  const told = [
    ...repository.issues.map((issue) =>
      toContribution('issue', issue, idOf(issue.authorId), {
        ...common(issue),
        resolvedBy: resolver(issue),
        reason: issue.stateReason,
      }),
    ),
    ...repository.pullRequests.flatMap((pull) => [
      toContribution('pull_request', pull, idOf(pull.authorId), {
        ...common(pull),
        reviewers: [
          ...new Set(ids([...pull.requestedReviewerIds, ...submitted(pull).map(({ authorId }) => authorId)])),
        ],
      }),
      ...submitted(pull).map((review) => ({
        ...toContribution('review', review, idOf(review.authorId), null),
        createdAt: review.submittedAt ?? review.createdAt,
        parentExternalId: String(pull.id),
      })),
      ...pull.reviewComments.map((comment) =>
        toContribution('review_comment', comment, idOf(comment.authorId), {
          ...nothing,
          number: pull.number,
          reactions: reactions(comment),
        }),
      ),
    ]),
    ...[...repository.issues, ...repository.pullRequests].flatMap((item) =>
      item.comments.map((comment) =>
        toContribution('mergedAt' in item ? 'pull_request_comment' : 'issue_comment', comment, idOf(comment.authorId), {
          ...nothing,
          number: item.number,
          reactions: reactions(comment),
        }),
      ),
    ),
  ];
  return told.map(normalized).toSorted(inOrder);
}

function submitted({ reviews }: PullRequest): Review[] {
  return reviews.filter(({ state }) => state !== 'PENDING');
}

interface Dated {
  id: number;
  createdAt: Date;
  updatedAt: Date;
  closedAt?: Date | null;
  mergedAt?: Date | null;
}

function toContribution(
  kind: Contribution['kind'],
  { id, createdAt, updatedAt, closedAt = null, mergedAt = null }: Dated,
  author: string | null,
  details: Details | null,
): Contribution {
  return {
    kind,
    externalId: String(id),
    parentExternalId: null,
    author,
    createdAt,
    updatedAt,
    closedAt,
    mergedAt,
    answered: false,
    answeredBy: null,
    details,
  };
}

const nothing: Details = {
  number: null,
  resolvedBy: null,
  assignees: [],
  reviewers: [],
  labels: [],
  reactions: [],
  comments: null,
  upvotes: null,
  additions: null,
  deletions: null,
  changedFiles: null,
  commits: null,
  reason: null,
};
