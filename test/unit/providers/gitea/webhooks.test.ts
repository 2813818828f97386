import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { recordedDeliveries, recordedDelivery, recordedSecret } from '../../../../simulators/gitea/recordings.ts';
import { readDelivery } from '../../../../src/hosts/gitea/webhooks.ts';
import type { Change } from '../../../../src/hosts/interface/provider.ts';
import { wholeDelivery } from '../../../whole-delivery.ts';

/** Tests the changes that follow from deliveries of a real Gitea. */

function listChanges(name: string): Change[] {
  const { headers, body } = recordedDelivery(name);
  return wholeDelivery(readDelivery(recordedSecret, headers), body).changes;
}

const account = (id: string, name: string): Change => ({ type: 'account', account: id, name });
const contributed = (...streams: string[]): Change => ({
  type: 'contributions',
  repository: '1',
  owner: '5',
  ownerName: 'acme',
  streams,
});

describe('webhooks of Gitea', () => {
  it('reads every recorded delivery with its own id and event', () => {
    const ids = new Set<string>();
    for (const { headers, body, name } of recordedDeliveries) {
      const { id, event } = wholeDelivery(readDelivery(recordedSecret, headers), body);
      ids.add(id);
      assert.equal(event, headers['x-gitea-event'], name);
    }
    assert.equal(ids.size, recordedDeliveries.length);
  });

  it('names the repository and the account that changed', () => {
    assert.deepEqual(listChanges('004-push'), [contributed('commits'), account('2', 'alice')]);
    assert.deepEqual(listChanges('007-issues-opened'), [contributed('issues'), account('4', 'carol')]);
    assert.deepEqual(listChanges('012-issue_label-label_updated'), [contributed('issues'), account('4', 'carol')]);
    assert.deepEqual(listChanges('023-pull_request-opened'), [contributed('pull_requests'), account('3', 'bob')]);
    assert.deepEqual(listChanges('028-pull_request_sync-synchronized'), [
      contributed('pull_requests'),
      account('3', 'bob'),
    ]);
    assert.deepEqual(listChanges('003-create'), []);
    assert.deepEqual(listChanges('057-release-published'), []);
  });

  it('reads reviews from events with three names, and names their author as changed', () => {
    const author = account('3', 'bob');
    assert.deepEqual(listChanges('030-pull_request_review_approved-reviewed'), [
      contributed('pull_requests'),
      author,
      account('2', 'alice'),
    ]);
    assert.deepEqual(listChanges('029-pull_request_review_comment-reviewed'), [
      contributed('pull_requests'),
      author,
      account('4', 'carol'),
    ]);
    assert.deepEqual(listChanges('036-pull_request_review_rejected-reviewed'), [
      contributed('pull_requests'),
      account('4', 'carol'),
      author,
    ]);
  });

  it('recognizes a comment on a pull request although it arrives as one on an issue', () => {
    assert.deepEqual(listChanges('018-issue_comment-created'), [contributed('comments', 'issues')]);
    assert.deepEqual(listChanges('037-pull_request_comment-created'), [contributed('comments', 'pull_requests')]);
  });

  it('reports the repositories of two accounts as changed by a fork, and of one by a new repository', () => {
    assert.deepEqual(listChanges('033-fork'), [
      { type: 'owned', account: '5', name: 'acme' },
      { type: 'owned', account: '4', name: 'carol' },
    ]);
    assert.deepEqual(listChanges('001-repository-created'), [{ type: 'owned', account: '5', name: 'acme' }]);
  });

  it('reports a deleted comment as removed, and a deleted repository as hidden', () => {
    const comment = altered('018-issue_comment-created', (body) => Object.assign(body, { action: 'deleted' }));
    assert.deepEqual(wholeDelivery(readDelivery(recordedSecret, comment.headers), comment.body).changes[0], {
      type: 'removed',
      repository: '1',
      kind: 'issue_comment',
      externalId: '9',
    });
    const repository = altered('001-repository-created', (body) => Object.assign(body, { action: 'deleted' }));
    assert.deepEqual(wholeDelivery(readDelivery(recordedSecret, repository.headers), repository.body).changes, [
      { type: 'hidden', repository: '1', onlyPrivate: false },
      { type: 'owned', account: '5', name: 'acme' },
    ]);
  });

  it('names no account when the item belongs to a deleted account', () => {
    const ghost = { id: -1, login: 'Ghost' };
    const { headers, body } = altered('007-issues-opened', ({ issue }) =>
      Object.assign(Object(issue), { user: ghost }),
    );
    assert.deepEqual(wholeDelivery(readDelivery(recordedSecret, headers), body).changes, [contributed('issues')]);
  });

  it('reports the repository of an event whose sender, author or item is missing', () => {
    const changesOfAltered = (name: string, change: (body: Record<string, unknown>) => void) => {
      const { headers, body } = altered(name, change);
      return wholeDelivery(readDelivery(recordedSecret, headers), body).changes;
    };
    for (const part of [undefined, null, {}, { id: null, login: null }, 'bob']) {
      assert.deepEqual(
        changesOfAltered('004-push', (body) => Object.assign(body, { sender: part })),
        [contributed('commits')],
      );
      assert.deepEqual(
        changesOfAltered('007-issues-opened', (body) => Object.assign(body, { issue: { user: part } })),
        [contributed('issues')],
      );
      assert.deepEqual(
        changesOfAltered('007-issues-opened', (body) => Object.assign(body, { issue: part, sender: part })),
        [contributed('issues')],
      );
      assert.deepEqual(
        changesOfAltered('018-issue_comment-created', (body) => Object.assign(body, { comment: part, is_pull: part })),
        [contributed('comments', 'issues')],
      );
      assert.deepEqual(
        changesOfAltered('033-fork', (body) => Object.assign(body, { forkee: part })),
        [{ type: 'owned', account: '4', name: 'carol' }],
      );
    }
  });

  it('accepts the signature and event headers of Forgejo', () => {
    const { headers, body } = recordedDelivery('007-issues-opened');
    const own = Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => name.startsWith('x-gitea-'))
        .map(([name, value]) => [name.replace('gitea', 'forgejo'), value]),
    );
    assert.equal(wholeDelivery(readDelivery(recordedSecret, own), body).event, 'issues');
    const { 'x-hub-signature-256': hub = '', 'x-gitea-event': event, 'x-gitea-delivery': id } = headers;
    const byHub = { 'x-hub-signature-256': hub, 'x-gitea-event': event, 'x-gitea-delivery': id };
    assert.equal(wholeDelivery(readDelivery(recordedSecret, byHub), body).event, 'issues');
  });

  it('refuses an unsigned or invalid delivery', () => {
    const { headers, body } = recordedDelivery('007-issues-opened');
    const read = (changed: Record<string, string | undefined>, text = body) =>
      wholeDelivery(readDelivery(recordedSecret, { ...headers, ...changed }), text);
    assert.throws(() => wholeDelivery(readDelivery(undefined, headers), body), { code: 'not_found' });
    assert.throws(() => wholeDelivery(readDelivery('another secret of ours', headers), body), {
      code: 'unauthenticated',
    });
    assert.throws(() => read({}, `${body} `), { code: 'unauthenticated' });
    assert.throws(() => read({ 'x-gitea-signature': '' }), { code: 'unauthenticated' });
    const noSignature = { 'x-gitea-signature': undefined, 'x-hub-signature-256': undefined };
    assert.throws(() => read(noSignature), { code: 'unauthenticated' });
    assert.throws(() => read({ 'x-gitea-delivery': undefined }), { code: 'missing_field' });
    assert.throws(() => read({ 'x-gitea-delivery': 'a b' }), { code: 'invalid_input' });
    assert.throws(() => read({ 'x-gitea-signature': signed('payload={}') }, 'payload={}'), { code: 'invalid_input' });
    assert.throws(() => read({ 'x-gitea-signature': signed('{}') }, '{}'), { code: 'invalid_input' });
  });
});

const signed = (text: string | Buffer) => createHmac('sha256', recordedSecret).update(text).digest('hex');

/** Returns a recorded delivery with a changed body, signed again. */
function altered(name: string, change: (body: Record<string, unknown>) => void) {
  const delivery = recordedDelivery(name);
  const content = JSON.parse(delivery.body) as Record<string, unknown>;
  change(content);
  const body = Buffer.from(JSON.stringify(content));
  return { body, headers: { ...delivery.headers, 'x-gitea-signature': signed(body) } };
}
