import { maxAtOnce } from '../queue/announcements.ts';

/** Returns the definition of a function: the most accounts that one transaction names, which a node reads at a time. */
export function maxAnnouncedFunction(): string {
  return `
create or replace function max_announced() returns integer language sql immutable as $$ select ${maxAtOnce} $$;
`;
}
