import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { delivery, events, signedDelivery } from '../../../../simulators/gitlab/deliveries.ts';
import { deliverySecret } from '../../../../simulators/host.ts';
import { readDelivery } from '../../../../src/hosts/gitlab/webhooks.ts';
import type { Change } from '../../../../src/hosts/interface/provider.ts';
import { wholeDelivery } from '../../../whole-delivery.ts';

/** Tests the changes that follow from deliveries of GitLab. */

const handbook = { id: 15, path_with_namespace: 'acme/docs/handbook' };
const ada = { id: 4, login: 'ada' };
const at = new Date('2026-11-20T12:00:00Z');

function listChanges(event: string, payload: object): Change[] {
  const { headers, body } = delivery(event, payload);
  return wholeDelivery(readDelivery(deliverySecret, headers, at), body).changes;
}

const contributed = (...streams: string[]): Change => ({
  type: 'contributions',
  repository: '15',
  owner: null,
  ownerName: 'acme/docs',
  streams,
});
const adas: Change = { type: 'account', account: '4', name: 'ada' };
const change = (name: string, more?: object): Change[] =>
  listChanges('Project Hook', events.project(name, handbook, more));
const owned = (name: string): Change => ({ type: 'owned', account: null, name });

describe('webhooks of GitLab', () => {
  it('reports the person who may administer other groups or see other projects than before', () => {
    const left: Change[] = [{ type: 'administrator', person: '4' }];
    const group = { id: 9, login: 'acme' };
    for (const event of ['user_remove_from_group', 'user_update_for_group']) {
      assert.deepEqual(listChanges('Member Hook', events.member(event, group, ada)), left);
    }
    // https://docs.gitlab.com/administration/system_hooks/#team-member-removed
    const ofProject = {
      created_at: '2026-07-21T07:30:56Z',
      updated_at: '2026-07-21T07:38:22Z',
      project_access: 'Maintainer',
      project_id: 74,
      project_name: 'Handbook',
      project_path: 'handbook',
      project_path_with_namespace: 'acme/handbook',
      user_email: '[REDACTED]',
      user_name: 'Ada',
      user_username: 'ada',
      user_id: 4,
      project_visibility: 'private',
    };
    for (const event of ['user_remove_from_team', 'user_update_for_team']) {
      assert.deepEqual(listChanges('System Hook', { ...ofProject, event_name: event }), left);
    }
    const destroyed = { event_name: 'user_destroy', user_id: 4, username: 'ada', name: 'Ada', email: '[REDACTED]' };
    assert.deepEqual(listChanges('System Hook', destroyed), left);
    assert.deepEqual(listChanges('Member Hook', events.member('user_add_to_group', group, ada)), []);
  });

  it('reports the project and the account that changed', () => {
    assert.deepEqual(listChanges('Push Hook', events.push(handbook, ada)), [contributed('commits'), adas]);
    assert.deepEqual(listChanges('Issue Hook', events.issue(handbook, ada)), [contributed('issues'), adas]);
    const confidential = { ...events.issue(handbook, ada), event_type: 'confidential_issue' };
    assert.deepEqual(listChanges('Confidential Issue Hook', confidential), [contributed('issues'), adas]);
    const task = { ...events.issue(handbook, ada), object_kind: 'work_item' };
    assert.deepEqual(listChanges('Issue Hook', task), [contributed('issues'), adas]);
    assert.deepEqual(listChanges('Merge Request Hook', events.merge_request(handbook, ada)), [
      contributed('pull_requests'),
      adas,
    ]);
  });

  it('reports an issue that became confidential as removed', () => {
    const issue = { ...events.issue(handbook, ada, 'update'), event_type: 'confidential_issue' };
    const changes = (current: unknown) => ({ changes: { confidential: { previous: !current, current } } });
    const removed: Change = { type: 'removed', repository: '15', kind: 'issue', externalId: '301' };
    assert.deepEqual(listChanges('Confidential Issue Hook', { ...issue, ...changes(true) }), [
      removed,
      contributed('issues'),
      adas,
    ]);
    assert.deepEqual(listChanges('Issue Hook', { ...issue, ...changes(false) }), [contributed('issues'), adas]);
    const nameless = { ...issue, ...changes(true), object_attributes: null };
    assert.deepEqual(listChanges('Issue Hook', nameless), [contributed('issues'), adas]);
  });

  it('reports a comment as a change of the list of its item, and ignores one on a commit or snippet', () => {
    assert.deepEqual(listChanges('Note Hook', events.note(handbook, ada, 'Issue')), [contributed('issues')]);
    assert.deepEqual(listChanges('Note Hook', events.note(handbook, ada, 'MergeRequest')), [
      contributed('pull_requests'),
    ]);
    for (const noteable of ['Commit', 'Snippet']) {
      assert.deepEqual(listChanges('Note Hook', events.note(handbook, ada, noteable)), []);
    }
  });

  it('accepts items of a group without a project and pushes by deploy keys', () => {
    const { project: _none, ...epic } = events.issue(handbook, ada);
    assert.deepEqual(listChanges('Issue Hook', { ...epic, object_kind: 'work_item' }), [adas]);
    const { project: _nor, ...award } = events.emoji(handbook, ada, 'Epic');
    assert.deepEqual(listChanges('Emoji Hook', award), []);
    const byKey = { ...events.push(handbook, ada), user_id: null, user_username: null };
    assert.deepEqual(listChanges('Push Hook', byKey), [contributed('commits')]);
  });

  it('reports a reaction as a change of the reactions of its project', () => {
    assert.deepEqual(listChanges('Emoji Hook', events.emoji(handbook, ada)), [{ type: 'reactions', repository: '15' }]);
  });

  it('reports new, deleted, moved and hidden projects as changes of the projects of their owners', () => {
    assert.deepEqual(change('project_create'), [owned('acme/docs')]);
    const hidden: Change = { type: 'hidden', repository: '15', onlyPrivate: false };
    assert.deepEqual(change('project_destroy'), [hidden, owned('acme/docs')]);
    const old = { old_path_with_namespace: 'elsewhere/handbook' };
    assert.deepEqual(change('project_transfer', old), [owned('acme/docs'), owned('elsewhere')]);
    assert.deepEqual(change('project_rename', old), [owned('acme/docs'), owned('elsewhere')]);
    assert.deepEqual(change('project_update'), [owned('acme/docs')]);
    for (const project_visibility of ['private', 'visibilitylevel|internal']) {
      assert.deepEqual(change('project_update', { project_visibility }), [hidden, owned('acme/docs')]);
    }
  });

  it('reports renamed accounts from system hooks, and ignores unrelated hooks', () => {
    const user = { event_name: 'user_rename', user_id: 58, username: 'new', old_username: 'old' };
    assert.deepEqual(listChanges('System Hook', user), [{ type: 'account', account: '58', name: 'new' }]);
    const group = { event_name: 'group_rename', group_id: 64, path: 'b', full_path: 'a/b', old_full_path: 'a/c' };
    assert.deepEqual(listChanges('System Hook', group), [{ type: 'account', account: 'group:64', name: 'a/b' }]);
    assert.deepEqual(listChanges('Member Hook', { event_name: 'user_add_to_group', group_id: 64 }), []);
    assert.deepEqual(listChanges('Pipeline Hook', { object_kind: 'pipeline' }), []);
    assert.deepEqual(listChanges('Job Hook', { object_kind: 'constructor' }), []);
  });

  it('gives a repeated delivery the same id, and different deliveries of one request different ids', () => {
    const { headers, body } = delivery('Push Hook', events.push(handbook, ada));
    const { 'idempotency-key': key, ...older } = headers;
    assert.equal(wholeDelivery(readDelivery(deliverySecret, headers, at), body).id, key);
    const toId = (text: string) => wholeDelivery(readDelivery(deliverySecret, older, at), text).id;
    assert.equal(toId(body), toId(body));
    assert.notEqual(toId(body), toId(delivery('Push Hook', events.push(handbook, { id: 5, login: 'max' })).body));
  });

  it('refuses a delivery without the secret, or with invalid headers or an invalid body', () => {
    const { headers, body } = delivery('Push Hook', events.push(handbook, ada));
    const read = (changed: Record<string, string | string[] | undefined>, text = body) =>
      wholeDelivery(readDelivery(deliverySecret, { ...headers, ...changed }, at), text);
    assert.throws(() => wholeDelivery(readDelivery(undefined, headers, at), body), { code: 'not_found' });
    for (const token of [undefined, '', deliverySecret.slice(1), `${deliverySecret} `, [deliverySecret]]) {
      assert.throws(() => read({ 'x-gitlab-token': token }), { code: 'unauthenticated' });
    }
    assert.throws(() => read({ 'x-gitlab-event': undefined }), { code: 'missing_field' });
    const nameless = { 'idempotency-key': undefined, 'x-gitlab-event-uuid': undefined };
    assert.throws(() => read(nameless), { code: 'missing_field' });
    assert.throws(() => read({ 'idempotency-key': 'a b' }), { code: 'invalid_input' });
    assert.throws(() => read({}, 'payload={}'), { code: 'invalid_input' });
    assert.throws(() => read({}, '{"object_kind": "push"}'), {
      code: 'invalid_input',
      message: /^The payload is not as GitLab documents it, at /,
    });
    const pathless = events.push({ id: 15, path_with_namespace: 'handbook' }, ada);
    assert.throws(() => read({}, JSON.stringify(pathless)), { code: 'invalid_input', message: /path_with_namespace/ });
  });
});

const signingToken = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const otherToken = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

/** Reads a push with changed headers that was signed at a time. */
function readPush(
  setting: string,
  changed: Record<string, string | undefined> = {},
  { token = signingToken, signedAt = at, text }: { token?: string; signedAt?: Date; text?: string } = {},
) {
  const { headers, body } = signedDelivery('Push Hook', events.push(handbook, ada), { token, at: signedAt });
  return wholeDelivery(readDelivery(setting, { ...headers, ...changed }, at), text ?? body);
}

describe('deliveries that GitLab signs', () => {
  it('are accepted with the signing token, and have the id that is signed', () => {
    const { headers, body } = signedDelivery('Push Hook', events.push(handbook, ada), { token: signingToken, at });
    const changed = { ...headers, 'idempotency-key': 'another-id' };
    const { id, changes } = wholeDelivery(readDelivery(signingToken, changed, at), body);
    assert.equal(id, headers['webhook-id']);
    assert.deepEqual(changes, [contributed('commits'), adas]);
  });

  it('are refused for another body, id, time or token', () => {
    const refused = { code: 'unauthenticated' };
    assert.throws(() => readPush(signingToken, {}, { text: '{}' }), refused);
    assert.throws(() => readPush(signingToken, { 'webhook-id': 'another-id' }), refused);
    const second = String(at.getTime() / 1000 + 1);
    assert.throws(() => readPush(signingToken, { 'webhook-timestamp': second }), refused);
    assert.throws(() => readPush(signingToken, {}, { token: otherToken }), refused);
    assert.throws(() => readPush(deliverySecret), refused);
    for (const header of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      for (const value of [undefined, '', 'v1,', 'v1,AAAA', '1e3', '-5']) {
        assert.throws(() => readPush(signingToken, { [header]: value }), refused, `${header}: ${value}`);
      }
    }
  });

  it('are accepted within five minutes of their time, and refused later or earlier', () => {
    const moved = (seconds: number) => ({ signedAt: new Date(at.getTime() + seconds * 1000) });
    for (const seconds of [-300, 300]) assert.equal(readPush(signingToken, {}, moved(seconds)).changes.length, 2);
    for (const seconds of [-301, 301, -86_400]) {
      assert.throws(() => readPush(signingToken, {}, moved(seconds)), {
        code: 'unauthenticated',
        message: /five minutes/,
      });
    }
  });

  it('are accepted when one of several signatures is right, as during the change of a token', () => {
    const { headers, body } = signedDelivery('Push Hook', events.push(handbook, ada), { token: signingToken, at });
    const right = headers['webhook-signature'] ?? '';
    const wrong = `v1,${Buffer.alloc(32).toString('base64')}`;
    for (const list of [`${wrong} ${right}`, `v1a,x ${right} ${wrong}`]) {
      const reader = readDelivery(signingToken, { ...headers, 'webhook-signature': list }, at);
      assert.equal(wholeDelivery(reader, body).changes.length, 2);
    }
    const reader = readDelivery(signingToken, { ...headers, 'webhook-signature': `${wrong} v1a,x` }, at);
    assert.throws(() => wholeDelivery(reader, body), { code: 'unauthenticated' });
  });

  it('are accepted beside deliveries with a secret, when both are configured', () => {
    const setting = `${deliverySecret},${signingToken},${otherToken}`;
    assert.equal(readPush(setting).changes.length, 2);
    assert.equal(readPush(setting, {}, { token: otherToken }).changes.length, 2);
    const { headers, body } = delivery('Push Hook', events.push(handbook, ada));
    assert.equal(wholeDelivery(readDelivery(setting, headers, at), body).changes.length, 2);
    const bySigningToken = { ...headers, 'x-gitlab-token': signingToken };
    assert.equal(wholeDelivery(readDelivery(signingToken, bySigningToken, at), body).changes.length, 2);
    const wrong = { ...headers, 'x-gitlab-token': setting };
    assert.throws(() => readDelivery(setting, wrong, at), { code: 'unauthenticated' });
  });

  it('need their signature where a signing token is configured, even beside the secret', () => {
    const changed = { 'x-gitlab-token': deliverySecret };
    const old = { signedAt: new Date(at.getTime() - 3_600_000) };
    assert.throws(() => readPush(`${deliverySecret},${signingToken}`, changed, old), { code: 'unauthenticated' });
    assert.equal(readPush(deliverySecret, changed, old).changes.length, 2);
  });
});

describe('bodies of deliveries of GitLab that lack parts', () => {
  it('report the project without the account', () => {
    for (const user of [null, undefined, {}, { id: null, username: 'ada' }, { id: 4, username: null }, 'ada']) {
      for (const [hook, kind, stream] of [
        ['Issue Hook', 'issue', 'issues'],
        ['Merge Request Hook', 'merge_request', 'pull_requests'],
      ] as const) {
        assert.deepEqual(listChanges(hook, { ...events[kind](handbook, ada), user }), [contributed(stream)]);
      }
    }
    const nameless = { ...events.push(handbook, ada), user_id: 'x', user_username: 7 };
    assert.deepEqual(listChanges('Push Hook', nameless), [contributed('commits')]);
  });

  it('report both lists for a comment whose item is unknown', () => {
    for (const object_attributes of [undefined, null, { noteable_type: null }]) {
      const note = { ...events.note(handbook, ada, 'Issue'), object_attributes };
      assert.deepEqual(listChanges('Note Hook', note), [contributed('issues', 'pull_requests')]);
    }
  });

  it('report a changed project without its visibility or its old path', () => {
    const nothing = { project_visibility: null, old_path_with_namespace: null };
    assert.deepEqual(change('project_update', nothing), [owned('acme/docs')]);
    assert.deepEqual(change('project_transfer', nothing), [owned('acme/docs')]);
  });
});
