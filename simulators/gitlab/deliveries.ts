import { createHmac, randomUUID } from 'node:crypto';
import { deliverySecret } from '../host.ts';

/** Deliveries in the format of https://docs.gitlab.com/user/project/integrations/webhook_events/. */

export interface DeliveredProject {
  id: number;
  path_with_namespace: string;
}

interface Person {
  id: number;
  login: string;
}

const projectFields = ({ id, path_with_namespace }: DeliveredProject) => ({
  id,
  name: path_with_namespace.split('/').at(-1),
  namespace: 'Analytical Engines',
  path_with_namespace,
  visibility_level: 20,
  default_branch: 'main',
});

const userFields = ({ id, login }: Person) => ({ id, name: login, username: login, email: '[REDACTED]' });

export const events = {
  push: (project: DeliveredProject, by: Person) => ({
    object_kind: 'push',
    event_name: 'push',
    ref: 'refs/heads/main',
    user_id: by.id,
    user_username: by.login,
    project_id: project.id,
    project: projectFields(project),
    commits: [],
  }),
  issue: (project: DeliveredProject, by: Person, action = 'open') => ({
    object_kind: 'issue',
    event_type: 'issue',
    user: userFields(by),
    project: projectFields(project),
    object_attributes: { id: 301, iid: 23, author_id: by.id, action },
  }),
  merge_request: (project: DeliveredProject, by: Person, action = 'approved') => ({
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: userFields(by),
    project: projectFields(project),
    object_attributes: { id: 99, iid: 1, author_id: 51, action },
  }),
  note: (project: DeliveredProject, by: Person, noteable_type: string) => ({
    object_kind: 'note',
    event_type: 'note',
    user: userFields(by),
    project_id: project.id,
    project: projectFields(project),
    object_attributes: { id: 1241, note: 'Hello', noteable_type, action: 'create', system: false },
  }),
  emoji: (project: DeliveredProject, by: Person, awardable_type = 'Issue') => ({
    object_kind: 'emoji',
    event_type: 'award',
    user: userFields(by),
    project_id: project.id,
    project: projectFields(project),
    object_attributes: { user_id: by.id, name: 'thumbsup', awardable_type, awardable_id: 92, action: 'award' },
  }),
  /** https://docs.gitlab.com/user/project/integrations/webhook_events/#group-member-events */
  member: (event_name: string, group: Person, by: Person, group_access = 'Owner') => ({
    event_name,
    group_name: group.login,
    group_path: group.login,
    group_id: group.id,
    user_username: by.login,
    user_name: by.login,
    user_email: '[REDACTED]',
    user_id: by.id,
    group_access,
    group_plan: null,
    expires_at: null,
  }),
  project: (event_name: string, project: DeliveredProject, more: object = {}) => ({
    event_name,
    name: 'handbook',
    path: 'handbook',
    path_with_namespace: project.path_with_namespace,
    project_id: project.id,
    project_namespace_id: 23,
    owners: [],
    project_visibility: 'visibilitylevel|public',
    ...more,
  }),
} as const;

/** Returns a delivery with its headers and body. @param event value of X-Gitlab-Event. */
export function delivery(event: string, payload: object): { headers: Record<string, string>; body: string } {
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitLab/17.5.1-ee',
      'idempotency-key': randomUUID(),
      'x-gitlab-event': event,
      'x-gitlab-webhook-uuid': randomUUID(),
      'x-gitlab-event-uuid': randomUUID(),
      'x-gitlab-instance': 'https://gitlab.example',
      'x-gitlab-token': deliverySecret,
    },
    body: JSON.stringify(payload),
  };
}

/** Returns a delivery of GitLab 19 for a webhook that has a signing token and no secret. */
export function signedDelivery(
  event: string,
  payload: object,
  { token, at }: { token: string; at: Date },
): { headers: Record<string, string>; body: string } {
  const { headers: withSecret, body } = delivery(event, payload);
  const { 'x-gitlab-token': _none, ...headers } = withSecret;
  const id = headers['idempotency-key'] ?? '';
  const time = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(token.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  const signed = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
  return { headers: { ...headers, ...signed, 'user-agent': 'GitLab/19.0.0-ee' }, body };
}
