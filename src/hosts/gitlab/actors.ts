import type { Actor } from '../../model/account.ts';
import type { GroupPayload, UserPayload } from './payloads.ts';

/**
 * Names of the users of access tokens, service accounts and GitLab's own bots, with a number where the name was taken.
 * Mentions have no other mark of a bot. gitlabhq/gitlabhq: lib/users/internal.rb; app/models/concerns/has_user_type.rb;
 * ee/app/services/security/orchestration/create_bot_service.rb.
 */
const botName = new RegExp(
  `^(?:${[
    '(?:project|group)_\\d+_bot(?:_?[\\da-z]+)?',
    'service_account_\\w+',
    'gitlab_security_policy_project_\\d+_bot(?:_[\\da-z]+)?',
    '(?:alert|automation|migration|suggested-reviewers|support|visual-review)-bot\\d*',
    'gitlab-\\w+-bot\\d*',
    'gitlabduo\\d*',
  ].join('|')})$`,
  'i',
);
/** States of accounts whose profile GitLab does not show: gitlabhq/gitlabhq, app/models/user.rb, `blocked?`. */
const blockedStates = new Set(['blocked', 'ldap_blocked', 'blocked_pending_approval', 'banned']);
/** The names of the placeholder users that own the items of deleted accounts. */
const ghostName = /^ghost\d*$/;
const possibleUserName = /^[\w.-]+$/;
/**
 * The names of the users that stand for people of other hosts whose items were imported, and of the one for all others
 * of a group: gitlabhq/gitlabhq, lib/gitlab/import/placeholder_user_creator.rb and import_user_creator.rb.
 */
const standIns = [
  { username: /_placeholder_user_\d+$/i, name: /^Placeholder / },
  { username: /^import_user_.+_[\da-z]{4,}$/i, name: /^Import User$/ },
];
/** The name that GitLab sends in place of that of an access token to readers who are no members. */
const redactedName = /^\*+$/;

/** Marks the ids of groups, because a group and a user may have the same id. */
const groupPrefix = 'group:';

/** Returns the account of a payload; null for those that stand for deleted accounts and for people of other hosts. */
export function toActor(payload: UserPayload | null): Actor | null {
  if (payload === null || isGhost(payload) || isStandIn(payload)) return null;
  return {
    externalId: String(payload.id),
    handle: '',
    type: botName.test(payload.username) ? 'bot' : 'user',
    name: payload.username,
    displayName: redactedName.test(payload.name) ? '' : payload.name,
    avatarUrl: payload.avatar_url ?? '',
    // Mentions do not show whether a profile is private.
    ...(blockedStates.has((payload.state ?? '').toLowerCase()) && { isPublic: false }),
  };
}

/** Returns whether an account stands for a deleted one, also when one of its names is unreadable. */
function isGhost({ username, name }: UserPayload): boolean {
  if (ghostName.test(username)) return name === 'Ghost User' || isUnreadable(name);
  return name === 'Ghost User' && !possibleUserName.test(username);
}

function isStandIn({ username, name }: UserPayload): boolean {
  return standIns.some((standIn) => standIn.username.test(username) && (standIn.name.test(name) || isUnreadable(name)));
}

/** Returns whether a text is absent, or holds characters that could not be read. */
function isUnreadable(text: string): boolean {
  return text === '' || text.includes('\uFFFD');
}

export function groupActor(group: GroupPayload): Actor {
  return {
    externalId: toGroupId(group.id),
    handle: '',
    type: 'organization',
    name: group.full_path,
    displayName: group.name,
    avatarUrl: group.avatar_url ?? '',
  };
}

/** Returns the id by which GitLab's API knows a group. */
export function groupIdIn(externalId: string): string {
  return externalId.slice(groupPrefix.length);
}

export function toGroupId(id: number): string {
  return `${groupPrefix}${id}`;
}

/** @param name the full path, or the id. */
export function groupPath(name: string): string {
  return `/groups/${encodeURIComponent(name)}?with_projects=false`;
}
