import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AwardEmojiSchema,
  type ExpandedGroupSchema,
  Gitlab,
  type IssueNoteSchema,
  type IssueSchemaWithBasicLabels,
  type MemberSchema,
  type MergeRequestNoteSchema,
  type MergeRequestSchemaWithBasicLabels,
  type MetadataSchema,
  type PersonalAccessTokenSchema,
  type ProjectSchema,
  type ProjectStarrerSchema,
  type SimpleUserSchema,
  type UserSchema,
  type WebhookEmojiEventSchema,
  type WebhookIssueEventSchema,
  type WebhookIssueNoteEventSchema,
  type WebhookMergeRequestEventSchema,
  type WebhookMergeRequestNoteEventSchema,
  type WebhookPushEventSchema,
} from '@gitbeaker/rest';
import type { Static } from 'typebox';
import {
  checkRequest,
  type EndpointName,
  endpointNames,
  listParameters,
} from '../../../simulators/gitlab/interface.ts';
import { type GitLabSimulator, startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import { writeFile } from '../../../simulators/world/repository-changes.ts';
import type {
  AwardPayload,
  GroupPayload,
  IssuePayload,
  MemberPayload,
  MergeRequestPayload,
  NotePayload,
  ProfilePayload,
  ProjectPayload,
  StarrersPayload,
  TitledPayload,
  TokenPayload,
  UserPayload,
  VersionPayload,
} from '../../../src/hosts/gitlab/payloads.ts';
import type { InProject, Pushed } from '../../../src/hosts/gitlab/webhooks.ts';
import { type ContractWorld, createContractWorld } from '../../contract/world.ts';

/**
 * Checks the payload types and the simulator, which were written by hand from GitLab's documentation, against
 * gitbeaker, a widely used client for GitLab: its types must match the payloads, and it must be able to send all
 * requests of the service.
 */

/** The named fields of a type, without its index signature. */
type Known<Schema> = { [Name in keyof Schema as string extends Name ? never : Name]: Schema[Name] };
/** Fails to compile where a response does not fit the type by which the service reads it. */
type Fits<Payload, Response extends Payload> = Response;

export type Responses = [
  Fits<UserPayload, Known<SimpleUserSchema>>,
  Fits<ProfilePayload, Known<UserSchema>>,
  Fits<GroupPayload, Known<ExpandedGroupSchema>>,
  Fits<Static<typeof MemberPayload>, Known<MemberSchema>>,
  Fits<ProjectPayload, Known<ProjectSchema>>,
  // gitbeaker types `closed_by` as a string; the example in the documentation is a user.
  Fits<IssuePayload, Omit<Known<IssueSchemaWithBasicLabels>, 'closed_by'>>,
  Fits<TitledPayload, Known<IssueSchemaWithBasicLabels>>,
  Fits<MergeRequestPayload, Known<MergeRequestSchemaWithBasicLabels>>,
  Fits<NotePayload, Known<IssueNoteSchema> | Known<MergeRequestNoteSchema>>,
  Fits<AwardPayload, Known<AwardEmojiSchema>>,
  Fits<Static<typeof StarrersPayload>, Known<ProjectStarrerSchema>[]>,
  Fits<Static<typeof VersionPayload>, Known<MetadataSchema>>,
  Fits<TokenPayload, Known<PersonalAccessTokenSchema>>,
];

type ItemEvent = WebhookIssueEventSchema | WebhookMergeRequestEventSchema;
type NoteEvent = WebhookIssueNoteEventSchema | WebhookMergeRequestNoteEventSchema;
export type Deliveries = [
  Fits<Static<typeof Pushed> & { user_id: number; user_username: string }, WebhookPushEventSchema>,
  Fits<Static<typeof InProject> & { user: { id: number; username: string } }, ItemEvent>,
  Fits<Static<typeof InProject> & { object_attributes: { noteable_type: string } }, NoteEvent>,
  Fits<Static<typeof InProject>, WebhookEmojiEventSchema>,
];

const path = 'guide/engines.md';
const since = '2026-01-01T00:00:00Z';
const page = { page: 1, perPage: 100 } as const;
const ordered = { orderBy: 'created_at', sort: 'asc' } as const;
const inTime = {
  ...page,
  ...ordered,
  scope: 'all',
  createdAfter: since,
  updatedAfter: since,
  updatedBefore: since,
} as const;

/** Parameters that the documentation names and gitbeaker lacks. */
const undocumentedByClient: { [Name in EndpointName]?: string[] } = {
  // https://docs.gitlab.com/api/groups/#get-a-single-group
  '/groups/:id': ['with_projects'],
  // https://docs.gitlab.com/api/rest/#pagination
  '/projects/:id/issues/:iid/closed_by': ['page', 'per_page'],
};

/** Sends all requests that the service sends. */
async function sendAllRequests(fixture: ContractWorld, simulator: GitLabSimulator): Promise<void> {
  const api = new Gitlab({ host: simulator.url, oauthToken: simulator.tokens.organization_admin });
  const { organization, people, repositories } = fixture;
  const project = `${organization.login}/${repositories.handbook.name}`;
  const issue = fixture.issues.find(({ comments }) => comments.length > 0);
  const pull = fixture.pulls.find(({ comments }) => comments.length > 0);
  const oid = repositories.handbook.commits.at(-1)?.oid ?? '';
  assert.ok(issue && pull);
  await api.Metadata.show();
  await api.Users.showCurrentUser();
  await api.PersonalAccessTokens.show();
  await api.Users.all({ username: people.ada.login, ...page });
  await api.Users.show(people.ada.id);
  await api.Users.allProjects(people.ada.id, { ...page, orderBy: 'id', sort: 'asc' });
  await api.Groups.show(organization.login);
  const own = { withShared: false, includeSubgroups: false };
  await api.Groups.allProjects(organization.id, { ...page, ...own, orderBy: 'id', sort: 'asc' });
  await api.Issues.all({ groupId: organization.id, ...page, scope: 'all', state: 'closed', updatedAfter: since });
  await api.MergeRequests.all({
    groupId: organization.id,
    ...page,
    scope: 'all',
    state: 'merged',
    updatedAfter: since,
  });
  await api.GroupMembers.all(`${organization.login}/core`, page);
  await api.ProjectMembers.show(project, people.max.id, { includeInherited: true });
  await api.GroupMembers.show(organization.id, people.max.id, { includeInherited: true });
  await api.Issues.all({ ...page, scope: 'all', authorId: people.ada.id, state: 'closed' });
  await api.MergeRequests.all({ ...page, scope: 'all', authorId: people.ada.id, state: 'merged' });
  await api.Projects.show(project, { statistics: true });
  await api.Issues.all({ projectId: project, ...inTime, confidential: false });
  await api.Issues.all({ projectId: project, ...page, state: 'opened', search: 'Awards', in: 'title' });
  await api.Issues.show(issue.number, { projectId: project });
  await api.MergeRequests.all({ projectId: project, ...inTime, state: 'merged' });
  await api.Issues.allClosedByMergeRequestst(project, issue.number);
  const notes = await api.IssueNotes.all(project, issue.number, { ...page, ...ordered });
  const notesOfPull = await api.MergeRequestNotes.all(project, pull.number, { ...page, ...ordered });
  const [noteId, noteIdOfPull] = [notes, notesOfPull].map((all) => all.find(({ system }) => !system)?.id ?? 0);
  assert.ok(noteId && noteIdOfPull);
  const created = await api.IssueNotes.create(project, issue.number, 'Hello');
  assert.equal(created.body, 'Hello');
  await api.IssueAwardEmojis.all(project, issue.number, page);
  await api.MergeRequestAwardEmojis.all(project, pull.number, page);
  await api.IssueNoteAwardEmojis.all(project, issue.number, noteId, page);
  await api.MergeRequestNoteAwardEmojis.all(project, pull.number, noteIdOfPull, page);
  await api.MergeRequests.allDiffs(project, pull.number, { page: 1, perPage: 30 });
  await api.Projects.allStarrers(project, page as object);
  await api.Commits.show(project, oid, { stats: true });
  await api.Commits.showDiff(project, oid, page);
  await api.Branches.show(project, 'main');
  await api.RepositoryFiles.show(project, path, oid);
}

describe('the simulated GitLab', () => {
  it('declares the same parameters for each endpoint as gitbeaker sends', async () => {
    const fixture = createContractWorld();
    const { world, repositories } = fixture;
    world.teams.push({ id: world.newId(), organizationId: fixture.organization.id, slug: 'core', memberIds: [] });
    writeFile(world, repositories.handbook, path, 'Engines', { name: 'Ada', email: 'ada@mail.example' });
    await using simulator = await startGitLabSimulator({ world });
    await sendAllRequests(fixture, simulator);
    const sentParameters = new Map<EndpointName, Set<string>>();
    for (const request of simulator.requests) {
      const [, method = 'GET', address = ''] = /^\S+ (?:([A-Z]+) )?(\/.+)$/.exec(request) ?? [];
      const { pathname, searchParams } = new URL(address, simulator.url);
      const { name } = checkRequest(method, pathname, searchParams, { body: 'Hello' });
      sentParameters.set(name, new Set([...(sentParameters.get(name) ?? []), ...searchParams.keys()]));
    }
    for (const name of endpointNames) {
      const words = [...(sentParameters.get(name) ?? ['nothing']), ...(undocumentedByClient[name] ?? [])];
      assert.deepEqual(words.toSorted(), listParameters(name).toSorted(), name);
    }
  });
});
