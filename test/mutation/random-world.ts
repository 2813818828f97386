import { addRepository } from '../../simulators/world/activity.ts';
import { addActivity } from '../../simulators/world/fill.ts';
import { Random } from '../../simulators/world/random.ts';
import { star } from '../../simulators/world/repository-changes.ts';
import type { MutationWorld } from './mutation-world.ts';

const amounts = { commits: 0, issues: 18, pullRequests: 12 };

/** Adds enough activity that a sample of a few percent contains some of it; the same seed adds the same. */
export function addRandomActivity(mutationWorld: MutationWorld, seed: number): MutationWorld {
  const { world, people, organization, repositories, notes, advance } = mutationWorld;
  const random = new Random(seed);
  const looms = addRepository(world, { ownerId: organization.id, name: 'looms', createdAt: organization.createdAt });
  const cast = [people.ada, people.olive, people.max];
  advance(30 * 86_400);
  for (const repository of [repositories.handbook, repositories.plans, notes, looms]) {
    const discussions = repository.hasDiscussions ? 6 : 0;
    addActivity(world, random, repository, cast, { ...amounts, discussions });
  }
  star(world, looms, people.ada);
  advance(3600);
  return mutationWorld;
}
