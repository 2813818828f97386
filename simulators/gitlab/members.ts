import type { Account } from '../world/model.ts';
import { paged } from './lists.ts';
import { type Place, type Reply, type Shape, time, user } from './responses.ts';

/**
 * Returns the members of a team, a group within a group that has no account of its own here; undefined where the caller sees no
 * such group.
 */
export function membersOfTeam(place: Place, path: string): Reply | undefined {
  const { world, viewer } = place;
  const cut = path.lastIndexOf('/');
  const above = world.accountByLogin(path.slice(0, cut));
  const team = above && world.teamsOf(above).find(({ slug }) => slug === path.slice(cut + 1).toLowerCase());
  if (above === undefined || team === undefined || viewer === undefined) return undefined;
  if (!world.canSeeMembers(viewer, above)) return undefined;
  return paged(
    place,
    world.membersOf(team).map((member) => memberOf(place, above, member)),
  );
}

function memberOf(place: Place, { createdAt }: Account, { id }: Account): Shape {
  const terms = { access_level: 30, expires_at: null, created_at: time(createdAt), membership_state: 'active' };
  return { ...user(place, id), ...terms };
}
