import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { createChecks, parseClean } from '../../../src/hosts/http/checks.ts';
import { describeItems, optional, orElse, type Refusal, readTolerantly } from '../../../src/hosts/http/tolerant.ts';
import type { SkippedPart } from '../../../src/hosts/interface/call.ts';

const Person = Type.Object({ login: Type.String() });
const Issue = Type.Object({
  id: Type.Integer(),
  comments: orElse(Type.Integer(), 0),
  author: Type.Union([Person, Type.Null()]),
  closer: orElse(Type.Union([Person, Type.Null()]), null),
  labels: orElse(describeItems('label', Type.Object({ name: Type.String() })), []),
  milestone: optional(Type.String()),
  visibility: Type.Optional(Type.String()),
});
const Page = Type.Object({ page: Type.Object({ nodes: describeItems('issue', Issue), hasMore: Type.Boolean() }) });

const ada = { login: 'ada' };
const issue = { id: 1, comments: 2, author: ada, closer: null, labels: [{ name: 'bug' }] };
const toPage = (...nodes: unknown[]): object => ({ page: { nodes, hasMore: false } });
const unreadable = (kind: string, path: string, isStored: boolean): SkippedPart => ({
  kind,
  reason: 'unreadable',
  path,
  explanation: '',
  isStored,
  isCounted: isStored,
});

describe('readTolerantly', () => {
  it('returns a payload that is as described', () => {
    const payload = toPage(issue);
    assert.deepEqual(readTolerantly(Page, payload, 'page'), { reading: { value: payload }, skipped: [] });
  });

  it('replaces a field that the item can do without', () => {
    const { reading, skipped } = readTolerantly(Page, toPage({ ...issue, comments: null }), 'page');
    assert.deepEqual(reading, { value: toPage({ ...issue, comments: 0 }) });
    assert.deepEqual(skipped, [unreadable('issue', '/page/nodes/*/comments', true)]);
  });

  it('leaves out an item whose identity cannot be read, and keeps the others', () => {
    const { reading, skipped } = readTolerantly(
      Page,
      toPage({ ...issue, id: 'x', comments: null }, null, issue),
      'page',
    );
    assert.deepEqual(reading, { value: toPage(issue) });
    assert.deepEqual(skipped, [
      unreadable('issue', '/page/nodes/*/id', false),
      unreadable('issue', '/page/nodes/*', false),
    ]);
  });

  it('takes no object for one without properties, which some hosts send in place of null', () => {
    const Author = Type.Union([
      Type.Object({ login: Type.String() }),
      Type.Object({}, { additionalProperties: false }),
    ]);
    const Commits = describeItems('commit', Type.Object({ author: Author }));
    const commits = [{ author: { login: 'ada' } }, { author: {} }, { author: { login: 7 } }];
    const { reading, skipped } = readTolerantly(Commits, commits, 'page');
    assert.deepEqual(reading, { value: commits.slice(0, 2) });
    assert.deepEqual(skipped, [unreadable('commit', '/*/author/login', false)]);
  });

  it('leaves out an item whose author is an object that cannot be read', () => {
    const { reading, skipped } = readTolerantly(Page, toPage({ ...issue, author: { login: 7 } }, issue), 'page');
    assert.deepEqual(reading, { value: toPage(issue) });
    assert.deepEqual(skipped, [unreadable('issue', '/page/nodes/*/author/login', false)]);
  });

  it('leaves a nested item out of its list', () => {
    const { reading, skipped } = readTolerantly(Page, toPage({ ...issue, labels: [null, { name: 'bug' }] }), 'page');
    assert.deepEqual(reading, { value: toPage(issue) });
    assert.deepEqual(skipped, [unreadable('label', '/page/nodes/*/labels/*', false)]);
  });

  it('drops an optional field that cannot be read', () => {
    const { reading, skipped } = readTolerantly(Page, toPage({ ...issue, milestone: 5 }), 'page');
    assert.deepEqual(reading, { value: toPage(issue) });
    assert.deepEqual(skipped, [unreadable('issue', '/page/nodes/*/milestone', true)]);
  });

  it('leaves out an item whose optional field without a mark is there and cannot be read', () => {
    const { reading, skipped } = readTolerantly(Page, toPage({ ...issue, visibility: null }, issue), 'page');
    assert.deepEqual(reading, { value: toPage(issue) });
    assert.deepEqual(skipped, [unreadable('issue', '/page/nodes/*/visibility', false)]);
  });

  it('names the path when the payload around the items cannot be read', () => {
    const { reading } = readTolerantly(Page, { page: { nodes: [issue], hasMore: null } }, 'page');
    assert.deepEqual(reading, { faultAt: '/page/hasMore' });
  });
});

describe('readTolerantly with refusals', () => {
  it('counts refused parts with the words of the host', () => {
    const refusals = new Map<string, Refusal>([
      ['/page/nodes/0', { reason: 'refused', explanation: 'refused by SAML' }],
      ['/page/nodes/1/closer', { reason: 'refused', explanation: 'refused by IP' }],
      ['/page/nodes/2/author', { reason: 'refused', explanation: 'refused by SAML' }],
    ]);
    const payload = toPage(null, { ...issue, id: 2 }, { ...issue, id: 3, author: null });
    const { reading, skipped } = readTolerantly(Page, payload, 'page', refusals);
    assert.deepEqual(reading, { value: toPage({ ...issue, id: 2 }) });
    assert.deepEqual(skipped, [
      {
        kind: 'issue',
        reason: 'refused',
        path: '/page/nodes/*',
        explanation: 'refused by SAML',
        isStored: false,
        isCounted: false,
      },
      {
        kind: 'issue',
        reason: 'refused',
        path: '/page/nodes/*/closer',
        explanation: 'refused by IP',
        isStored: true,
        isCounted: true,
      },
      {
        kind: 'issue',
        reason: 'refused',
        path: '/page/nodes/*',
        explanation: 'refused by SAML',
        isStored: false,
        isCounted: false,
      },
    ]);
  });

  it('leaves out an item whose author is null because of an error below the author', () => {
    const refusals = new Map<string, Refusal>([
      ['/page/nodes/0/author/login', { reason: 'unreadable', explanation: '' }],
    ]);
    const payload = toPage({ ...issue, author: null }, { ...issue, id: 2, author: null });
    const { reading, skipped } = readTolerantly(Page, payload, 'page', refusals);
    assert.deepEqual(reading, { value: toPage({ ...issue, id: 2, author: null }) });
    assert.deepEqual(skipped, [unreadable('issue', '/page/nodes/*', false)]);
  });

  it('takes no null at the top for an absent object when an error is there or below, or names no place', () => {
    const Found = Type.Object({ node: Type.Union([Person, Type.Null()]) });
    for (const pointer of ['/node', '/node/login', '']) {
      const refusals = new Map<string, Refusal>([[pointer, { reason: 'refused', explanation: 'refused by SAML' }]]);
      const { reading } = readTolerantly(Found, { node: null }, 'page', refusals);
      assert.deepEqual(reading, { faultAt: '/node' }, pointer);
    }
  });

  it('reports an error that names no place', () => {
    const refusals = new Map<string, Refusal>([['', { reason: 'unreadable', explanation: 'something failed' }]]);
    const { reading, skipped } = readTolerantly(Page, toPage(issue), 'page', refusals);
    assert.deepEqual(reading, { value: toPage(issue) });
    assert.deepEqual(skipped, [{ ...unreadable('page', '/', true), explanation: 'something failed' }]);
  });

  it('keeps an item whose author is deleted, which is null without a refusal', () => {
    const payload = toPage({ ...issue, author: null });
    assert.deepEqual(readTolerantly(Page, payload, 'page').reading, { value: payload });
  });
});

describe('checkPayload', () => {
  const { checkPayload } = createChecks('The host');

  it('reports skipped parts to the call', () => {
    const skipped: SkippedPart[] = [];
    const call = { onSkipped: (part: SkippedPart) => void skipped.push(part) };
    assert.deepEqual(
      checkPayload(Page, toPage({ ...issue, comments: 1.5 }), 'page', call),
      toPage({ ...issue, comments: 0 }),
    );
    assert.deepEqual(skipped, [unreadable('issue', '/page/nodes/*/comments', true)]);
  });

  it('throws an error that names the path and no value', () => {
    assert.throws(() => checkPayload(Page, { page: { nodes: 'secret', hasMore: true } }, 'page'), {
      code: 'provider_invalid_response',
      message: "The host's response cannot be used: page is not as expected at /page/nodes.",
    });
  });
});

describe('parseClean', () => {
  it('replaces NUL and halves of surrogate pairs, which PostgreSQL refuses', () => {
    assert.deepEqual(parseClean('{"name":"a\\u0000b\\ud800c\\ud83d\\ude00"}'), { name: 'a\ufffdb\ufffdc😀' });
  });
});
