import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { delivery, events } from '../../../../simulators/gitlab/deliveries.ts';
import { deliverySecret } from '../../../../simulators/host.ts';
import { readDelivery } from '../../../../src/providers/gitlab/webhooks.ts';
import type { Change } from '../../../../src/providers/provider.ts';
import { wholeDelivery } from '../../../whole-delivery.ts';

/** Tests the changes that follow from deliveries of GitLab. */

const handbook = { id: 15, path_with_namespace: 'acme/docs/handbook' };
const ada = { id: 4, login: 'ada' };

function changesOf(event: string, payload: object): Change[] {
  const { headers, body } = delivery(event, payload);
  return wholeDelivery(readDelivery(deliverySecret, headers), body).changes;
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
  changesOf('Project Hook', events.project(name, handbook, more));
const owned = (name: string): Change => ({ type: 'owned', account: null, name });

describe('webhooks of GitLab', () => {
  it('reports the person who may administer other groups or see other projects than before', () => {
    const left: Change[] = [{ type: 'administrator', person: '4' }];
    const group = { id: 9, login: 'acme' };
    for (const event of ['user_remove_from_group', 'user_update_for_group']) {
      assert.deepEqual(changesOf('Member Hook', events.member(event, group, ada)), left);
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
      assert.deepEqual(changesOf('System Hook', { ...ofProject, event_name: event }), left);
    }
    const destroyed = { event_name: 'user_destroy', user_id: 4, username: 'ada', name: 'Ada', email: '[REDACTED]' };
    assert.deepEqual(changesOf('System Hook', destroyed), left);
    assert.deepEqual(changesOf('Member Hook', events.member('user_add_to_group', group, ada)), []);
  });

  it('reports the project and the account that changed', () => {
    assert.deepEqual(changesOf('Push Hook', events.push(handbook, ada)), [contributed('commits'), adas]);
    assert.deepEqual(changesOf('Issue Hook', events.issue(handbook, ada)), [contributed('issues'), adas]);
    const confidential = { ...events.issue(handbook, ada), event_type: 'confidential_issue' };
    assert.deepEqual(changesOf('Confidential Issue Hook', confidential), [contributed('issues'), adas]);
    const task = { ...events.issue(handbook, ada), object_kind: 'work_item' };
    assert.deepEqual(changesOf('Issue Hook', task), [contributed('issues'), adas]);
    assert.deepEqual(changesOf('Merge Request Hook', events.merge_request(handbook, ada)), [
      contributed('pull_requests'),
      adas,
    ]);
  });

  it('reports a comment as a change of the list of its item, and ignores one on a commit or snippet', () => {
    assert.deepEqual(changesOf('Note Hook', events.note(handbook, ada, 'Issue')), [contributed('issues')]);
    assert.deepEqual(changesOf('Note Hook', events.note(handbook, ada, 'MergeRequest')), [
      contributed('pull_requests'),
    ]);
    for (const noteable of ['Commit', 'Snippet']) {
      assert.deepEqual(changesOf('Note Hook', events.note(handbook, ada, noteable)), []);
    }
  });

  it('accepts items of a group without a project and pushes by deploy keys', () => {
    const { project: _none, ...epic } = events.issue(handbook, ada);
    assert.deepEqual(changesOf('Issue Hook', { ...epic, object_kind: 'work_item' }), [adas]);
    const { project: _nor, ...award } = events.emoji(handbook, ada, 'Epic');
    assert.deepEqual(changesOf('Emoji Hook', award), []);
    const byKey = { ...events.push(handbook, ada), user_id: null, user_username: null };
    assert.deepEqual(changesOf('Push Hook', byKey), [contributed('commits')]);
  });

  it('reports a reaction as a change of the reactions of its project', () => {
    assert.deepEqual(changesOf('Emoji Hook', events.emoji(handbook, ada)), [{ type: 'reactions', repository: '15' }]);
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
    assert.deepEqual(changesOf('System Hook', user), [{ type: 'account', account: '58', name: 'new' }]);
    const group = { event_name: 'group_rename', group_id: 64, path: 'b', full_path: 'a/b', old_full_path: 'a/c' };
    assert.deepEqual(changesOf('System Hook', group), [{ type: 'account', account: 'group:64', name: 'a/b' }]);
    assert.deepEqual(changesOf('Member Hook', { event_name: 'user_add_to_group', group_id: 64 }), []);
    assert.deepEqual(changesOf('Pipeline Hook', { object_kind: 'pipeline' }), []);
    assert.deepEqual(changesOf('Job Hook', { object_kind: 'constructor' }), []);
  });

  it('gives a repeated delivery the same id, and different deliveries of one request different ids', () => {
    const { headers, body } = delivery('Push Hook', events.push(handbook, ada));
    const { 'idempotency-key': key, ...older } = headers;
    assert.equal(wholeDelivery(readDelivery(deliverySecret, headers), body).id, key);
    const idOf = (text: string) => wholeDelivery(readDelivery(deliverySecret, older), text).id;
    assert.equal(idOf(body), idOf(body));
    assert.notEqual(idOf(body), idOf(delivery('Push Hook', events.push(handbook, { id: 5, login: 'max' })).body));
  });

  it('refuses a delivery without the secret, or with invalid headers or an invalid body', () => {
    const { headers, body } = delivery('Push Hook', events.push(handbook, ada));
    const read = (changed: Record<string, string | string[] | undefined>, text = body) =>
      wholeDelivery(readDelivery(deliverySecret, { ...headers, ...changed }), text);
    assert.throws(() => wholeDelivery(readDelivery(undefined, headers), body), { code: 'not_found' });
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
