import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import examples from '@octokit/webhooks-examples' with { type: 'json' };
import { signed, webhookSecret } from '../../../../simulators/github/deliver.ts';
import { readDelivery, subscribedEvents } from '../../../../src/hosts/github/webhooks.ts';
import type { Change } from '../../../../src/hosts/interface/provider.ts';
import { isThorough } from '../../../depth.ts';
import { wholeDelivery } from '../../../whole-delivery.ts';

// The types of the package wrongly describe an object that holds the list.
const events = examples as unknown as { name: string; examples: Json[] }[];
type Json = { [key: string]: Json | undefined } | Json[] | string | number | boolean | null;

const read = (event: string, payload: Json): Change[] => {
  const { headers, body } = signed(event, JSON.stringify(payload));
  return wholeDelivery(
    readDelivery(webhookSecret, headers, () => true),
    body,
  ).changes;
};

/** Parts deeper than this are never read. */
const maxDepth = 3;

interface Variant {
  variant: Json;
  path: string;
  replacement: 'absent' | 'null';
}

/** Yields the payload once for each of its parts, with that part absent or null. */
function* listVariants(payload: Json): Generator<Variant> {
  const walk = function* (part: Json, path: string[]): Generator<Variant> {
    if (typeof part !== 'object' || part === null || Array.isArray(part) || path.length >= maxDepth) return;
    for (const key of Object.keys(part)) {
      const kept = part[key];
      delete part[key];
      yield { variant: payload, path: [...path, key].join('.'), replacement: 'absent' };
      part[key] = null;
      yield { variant: payload, path: [...path, key].join('.'), replacement: 'null' };
      part[key] = kept;
      if (kept !== undefined) yield* walk(kept, [...path, key]);
    }
  };
  yield* walk(payload, []);
}

/** Returns whether a part is required: the id of the repository or installation, or of the deleted item. */
function isNeeded(event: string, path: string, payload: Json): boolean {
  const { action } = Object(payload) as { action?: unknown };
  if (event.startsWith('installation')) return /^(installation(\.id)?|action)$/.test(path);
  if (/^repository(\.id)?$/.test(path)) return true;
  // GitHub sends this action for discussions too.
  return action === 'deleted' && /^(issue|comment|discussion)(\.id)?$/.test(path);
}

const repository = { id: 1, name: 'engine', owner: { id: 2, login: 'ada' } };
const change = { type: 'contributions', repository: '1', owner: '2', ownerName: 'ada' };

const issues = { ...change, streams: ['issues'] };
const readable: [string, string, Json, Change[] | object[]][] = [
  [
    'an item of a deleted user',
    'issues',
    { action: 'opened', issue: { id: 3, user: null }, repository, sender: null },
    [issues],
  ],
  [
    'an item of ghost',
    'issues',
    { action: 'opened', issue: { id: 3, user: { id: 10_137, login: 'ghost' } }, repository },
    [issues],
  ],
  [
    'an owner without a login',
    'issues',
    { action: 'opened', issue: { id: 3 }, repository: { id: 1, owner: { id: 2 } } },
    [{ ...issues, ownerName: '' }],
  ],
  [
    'no owner',
    'issues',
    { action: 'opened', issue: { id: 3 }, repository: { id: 1 } },
    [{ ...issues, owner: null, ownerName: '' }],
  ],
  ['a push by a deploy key', 'push', { ref: 'refs/heads/main', repository }, [{ ...change, streams: ['commits'] }]],
  [
    'a comment of an issue that is explicitly no pull request',
    'issue_comment',
    { action: 'deleted', issue: { pull_request: null }, comment: { id: 4, user: null }, repository },
    [
      { type: 'removed', repository: '1', kind: 'issue_comment', externalId: '4' },
      { ...change, streams: ['comments', 'issues'] },
    ],
  ],
  [
    'a transfer that names no former owner',
    'repository',
    { action: 'transferred', repository, changes: { owner: { from: { user: null } } } },
    [
      { type: 'hidden', repository: '1', onlyPrivate: true },
      { type: 'owned', account: '2', name: 'ada' },
    ],
  ],
  [
    'a removed member',
    'organization',
    { action: 'member_removed', organization: { id: 7, login: 'acme' }, membership: { user: { id: 5, login: 'ada' } } },
    [
      { type: 'account', account: '7', name: 'acme' },
      { type: 'administrator', person: '5' },
    ],
  ],
  [
    'a removed collaborator',
    'member',
    { action: 'removed', member: { id: 5, login: 'ada' }, repository: { id: 1 } },
    [{ type: 'administrator', person: '5' }],
  ],
  [
    'a removed member of a team',
    'membership',
    { action: 'removed', scope: 'team', member: { id: 5, login: 'ada' }, organization: { id: 7, login: 'acme' } },
    [{ type: 'administrator', person: '5' }],
  ],
  ['an event of no organization', 'organization', { action: 'renamed' }, []],
];

const listStars = (payload: Json): Change[] => read('star', payload).filter(({ type }) => type === 'star');

describe('webhooks of GitHub', () => {
  it('reads every example of GitHub, also when any part except the ids of its subject is missing', () => {
    let examplesRead = 0;
    let variantsRead = 0;
    for (const { name, examples: payloads } of events) {
      /** Parts that another example of the event has as well. */
      const seen = new Set<string>();
      for (const payload of payloads) {
        read(name, payload);
        examplesRead += 1;
        if (!subscribedEvents.includes(name) && !name.startsWith('installation')) continue;
        for (const { variant, path, replacement } of listVariants(structuredClone(payload))) {
          if (isNeeded(name, path, payload) || (!isThorough && seen.has(`${replacement} ${path}`))) continue;
          seen.add(`${replacement} ${path}`);
          assert.doesNotThrow(() => read(name, variant), `${name} with ${path} ${replacement}`);
          variantsRead += 1;
        }
      }
    }
    assert.equal(examplesRead, 329);
    assert.ok(variantsRead > (isThorough ? 10_000 : 3000), `${variantsRead} variants`);
  });

  it('takes changes from all examples of some events, and from none of the others', () => {
    const changesByPayload = ({ name, examples: payloads }: (typeof events)[number]): Set<boolean> =>
      new Set(payloads.map((payload) => read(name, payload).length > 0));
    for (const event of events) assert.equal(changesByPayload(event).size, 1, event.name);
    assert.deepEqual(
      events
        .filter((event) => changesByPayload(event).has(true))
        .map(({ name }) => name)
        .toSorted(),
      [
        'discussion',
        'discussion_comment',
        'fork',
        'installation',
        'installation_repositories',
        'issue_comment',
        'issues',
        'member',
        'membership',
        'organization',
        'public',
        'pull_request',
        'pull_request_review',
        'pull_request_review_comment',
        'push',
        'repository',
        'star',
      ],
    );
  });

  it('follows an installation of an enterprise, whose account has a slug and no login', () => {
    const account = { id: 9, slug: 'big-enterprise', node_id: 'E_1', name: 'Big', avatar_url: 'https://a.example' };
    const installation = { id: 5, account, target_type: 'Enterprise', repository_selection: 'all' };
    const followed = { type: 'installation', credentialName: 'installation:5', isOver: false };
    assert.deepEqual(read('installation', { action: 'created', installation, repositories: [] }), [followed]);
    assert.deepEqual(read('installation', { action: 'deleted', installation, repositories: null }), [
      { ...followed, isOver: true },
    ]);
    const renamed = { action: 'renamed', account, installation: { id: 5 }, target_type: 'Enterprise' };
    assert.deepEqual(read('installation_target', renamed), [followed, { type: 'account', account: '9', name: '' }]);
  });

  for (const [title, event, payload, changes] of readable) {
    it(`accepts a delivery with ${title}`, () => {
      assert.deepEqual(read(event, payload), changes);
    });
  }

  it('reads a star with its account and time, or only a change of its repository if either is unknown', () => {
    const sender = { id: 7, login: 'bob', node_id: 'U_7', avatar_url: 'https://a.example/7', type: 'User' };
    const at = '2026-05-01T10:00:00Z';
    const payload = { action: 'created', starred_at: at, repository, sender };
    const star = {
      type: 'star',
      repository: '1',
      account: {
        externalId: '7',
        handle: 'U_7',
        type: 'user',
        name: 'bob',
        displayName: '',
        avatarUrl: 'https://a.example/7',
        isBrief: true,
      },
      at: '2026-05-01T10:00:00.000Z',
      isTakenBack: false,
    };
    assert.deepEqual(listStars(payload), [star]);
    const takenBack = { action: 'deleted', starred_at: null, repository: { ...repository, updated_at: at }, sender };
    assert.deepEqual(listStars(takenBack), [{ ...star, isTakenBack: true }]);
    for (const vague of [
      { ...payload, starred_at: null },
      { ...payload, sender: null },
      { ...payload, sender: { ...sender, login: 'ghost', id: 10_137 } },
      { ...payload, sender: { ...sender, type: 'Mannequin' } },
      { ...takenBack, repository },
    ]) {
      assert.deepEqual(listStars(vague), []);
      assert.ok(read('star', vague).some(({ type }) => type === 'contributions'));
    }
  });

  it('refuses a delivery without the id of its repository, its installation or the deleted item', () => {
    const refused = { code: 'invalid_input' };
    assert.throws(() => read('issues', { action: 'opened' }), refused);
    assert.throws(() => read('push', { repository: { id: '1' } }), refused);
    assert.throws(() => read('issues', { action: 'deleted', issue: null, repository }), refused);
    assert.throws(() => read('installation', { action: 'created', installation: null }), refused);
  });
});
