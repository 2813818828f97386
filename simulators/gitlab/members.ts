import type { Account } from '../world/model.ts';
import { paged } from './lists.ts';
import { type Reply, type ResponseContext, type Shape, time, user } from './responses.ts';

/**
 * Returns the members of a team, a group within a group that has no account of its own here; undefined where the caller sees no
 * such group.
 */
export function membersOfTeam(context: ResponseContext, path: string): Reply | undefined {
  const { world, viewer } = context;
  const cut = path.lastIndexOf('/');
  const parentGroup = world.accountByLogin(path.slice(0, cut));
  const team = parentGroup && world.teamsOf(parentGroup).find(({ slug }) => slug === path.slice(cut + 1).toLowerCase());
  if (parentGroup === undefined || team === undefined || viewer === undefined) return undefined;
  if (!world.canSeeMembers(viewer, parentGroup)) return undefined;
  return paged(
    context,
    world.membersOf(team).map((member) => toMember(context, member)),
  );
}

/** Returns a developer of a group or project. */
export function toMember(context: ResponseContext, { createdAt, id }: Account): Shape {
  const terms = { access_level: 30, expires_at: null, created_at: time(createdAt), membership_state: 'active' };
  return { ...user(context, id), ...terms };
}
