import { type Static, Type } from 'typebox';
import { formatTimestamp } from '../http/envelope.ts';
import { levelOf } from './level.ts';
import type { Account } from './store.ts';

/** An account as the API returns it. */
export const Entity = Type.Object({
  id: Type.String({ format: 'uuid' }),
  provider: Type.String(),
  type: Type.Enum(['user', 'organization', 'bot']),
  name: Type.String({ description: 'Account name on the provider.' }),
  display_name: Type.String(),
  url: Type.String({ format: 'uri', description: "Address of the account in the provider's API." }),
  avatar_url: Type.String(),
  website: Type.String(),
  socials: Type.Union([
    Type.Null(),
    Type.Object({
      socials: Type.Array(Type.Object({ provider: Type.String(), name: Type.String(), url: Type.String() })),
    }),
  ]),
  description: Type.String(),
  followers: Type.Integer(),
  following: Type.Integer(),
  experience: Type.Integer({ description: 'The sum of the ten lifetime counters.' }),
  level: Type.Integer({ description: '0 without experience, else floor(sqrt(experience / 100)) + 1.' }),
  created_dttm: Type.String({ format: 'date-time', description: 'When the account was added to this service.' }),
  updated_dttm: Type.String({ format: 'date-time', description: 'When its record last changed.' }),
});
export type Entity = Static<typeof Entity>;

/**
 * Returns an account in the form of the API.
 * @param url the URL of the account in its provider's API.
 */
export function toEntity(account: Account, url: string): Entity {
  return {
    id: account.id,
    provider: account.provider,
    type: account.type,
    name: account.name,
    display_name: account.displayName,
    url,
    avatar_url: account.avatarUrl,
    website: account.website,
    socials: account.socials === null ? null : { socials: account.socials },
    description: account.description,
    followers: account.followers,
    following: account.following,
    experience: account.experience,
    level: levelOf(account.experience),
    created_dttm: formatTimestamp(account.createdAt),
    updated_dttm: formatTimestamp(account.updatedAt),
  };
}
