import type { Actor } from '../../accounts/account.ts';
import type { GroupPayload, UserPayload } from './payloads.ts';

/** Users of access tokens, service accounts and GitLab's own; nothing else in a mention tells them apart. */
const botName =
  /^(?:(?:project|group)_\d+_bot(?:_?[\da-f]+)?|service_account_\w+|(?:alert|migration|support)-bot|gitlab-\w+-bot)$/i;
/** Accounts of which GitLab shows no profile: gitlabhq/gitlabhq, app/models/user.rb, `blocked?`. */
const blockedStates = new Set(['blocked', 'ldap_blocked', 'blocked_pending_approval', 'banned']);
/** Whom everything belongs to that deleted accounts wrote. */
const ghostName = /^ghost\d*$/;

/** Groups and users are numbered apart: their ids alone would be mistaken for each other. */
const groupPrefix = 'group:';

/** Null for those who are no accounts. */
export function toActor(payload: UserPayload | null): Actor | null {
  if (payload === null || (ghostName.test(payload.username) && payload.name === 'Ghost User')) return null;
  return {
    externalId: String(payload.id),
    handle: '',
    type: botName.test(payload.username) ? 'bot' : 'user',
    name: payload.username,
    displayName: payload.name,
    avatarUrl: payload.avatar_url ?? '',
    // That a profile is private no mention tells.
    ...(blockedStates.has((payload.state ?? '').toLowerCase()) && { isPublic: false }),
  };
}

export function groupActor(group: GroupPayload): Actor {
  return {
    externalId: groupIdOf(group.id),
    handle: '',
    type: 'organization',
    name: group.full_path,
    displayName: group.name,
    avatarUrl: group.avatar_url ?? '',
  };
}

/** What a group is asked for by. */
export function groupIdIn(externalId: string): string {
  return externalId.slice(groupPrefix.length);
}

export function groupIdOf(id: number): string {
  return `${groupPrefix}${id}`;
}

/** @param name the full path, or the id. */
export function groupPath(name: string): string {
  return `/groups/${encodeURIComponent(name)}?with_projects=false`;
}
