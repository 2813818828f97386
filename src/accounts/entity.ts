import { type Static, Type } from 'typebox';
import { formatTimestamp, TimestampSchema, UuidSchema } from '../http/pipeline/envelope.ts';
import type { Account } from '../model/account.ts';
import { toPathPart } from '../model/account.ts';
import { toLevel } from '../model/level.ts';

const Social = Type.Object(
  {
    provider: Type.String({ examples: ['mastodon'] }),
    name: Type.String({ examples: ['octocat@mastodon.example'] }),
    url: Type.String({ examples: ['https://mastodon.example/@octocat'] }),
  },
  { title: 'Social' },
);

/** The properties of every account that the API returns. */
export const accountProperties = {
  id: UuidSchema(),
  provider: Type.String({ examples: ['github'] }),
  type: Type.Enum(['user', 'organization', 'bot']),
  name: Type.String({ description: 'Account name on the provider.', examples: ['octocat'] }),
  display_name: Type.String({ examples: ['The Octocat'] }),
  url: Type.String({
    format: 'uri',
    description: "Address of the account in the provider's API.",
    examples: ['https://api.github.com/users/octocat'],
  }),
  avatar_url: Type.String({
    format: 'uri',
    description: 'Of an account without an image, the address at which this service draws its initials.',
    examples: ['https://avatars.githubusercontent.com/u/583231'],
  }),
};

/** An account as the API returns it. */
export const Entity = Type.Object(
  {
    ...accountProperties,
    website: Type.String({ description: 'Empty where there is none.', examples: ['https://github.blog'] }),
    socials: Type.Union([Type.Null(), Type.Object({ socials: Type.Array(Social) })], {
      description: 'Null where they were never fetched.',
    }),
    description: Type.String({ description: 'Empty where there is none.', examples: ['Mascot.'] }),
    followers: Type.Integer({
      description: '0 and in `missing` where the host does not show them.',
      examples: [21000],
    }),
    following: Type.Integer({ description: 'As `followers`.', examples: [9] }),
    experience: Type.Integer({ description: 'The sum of the ten lifetime counters.', examples: [284] }),
    level: Type.Integer({
      description: '0 without experience, else floor(sqrt(experience / 100)) + 1.',
      examples: [2],
    }),
    created_dttm: TimestampSchema('When the account was added to this service.'),
    updated_dttm: TimestampSchema('When its record last changed.'),
  },
  { title: 'Entity' },
);
export type Entity = Static<typeof Entity>;

/** Returns the path at which this service serves the image of an account, or draws its initials. */
export function avatarPath(provider: string, name: string): string {
  return `/avatars/${provider}/${toPathPart(name)}`;
}

/** Characters that URLs of hosts contain, such as `dependabot[bot].png`, and that RFC 3986 allows only in the authority. */
const unencodedInPath = /(?<=^https?:\/\/[^/]+\/.*)[[\]|^`{}]/g;

/** Returns the URL of an account's image. Hosts have none for some accounts, such as most groups of GitLab. */
export function avatarUrlFor(
  { provider, name, avatarUrl }: Pick<Account, 'provider' | 'name' | 'avatarUrl'>,
  publicUrl: string,
): string {
  if (!URL.canParse(avatarUrl)) return `${publicUrl}${avatarPath(provider, name)}`;
  return avatarUrl.replaceAll(unencodedInPath, encodeURIComponent);
}

/** Returns the names of the numbers of an account that are not known. */
export function unknownNumbers({ followers, following }: Pick<Account, 'followers' | 'following'>): string[] {
  return [...(followers === null ? ['followers'] : []), ...(following === null ? ['following'] : [])];
}

/**
 * Returns an account in the form of the API.
 * @param urls.url the URL of the account in its provider's API.
 * @param urls.publicUrl the public URL of this service.
 */
export function toEntity(account: Account, { url, publicUrl }: { url: string; publicUrl: string }): Entity {
  return {
    id: account.id,
    provider: account.provider,
    type: account.type,
    name: account.name,
    display_name: account.displayName,
    url,
    avatar_url: avatarUrlFor(account, publicUrl),
    website: account.website,
    socials: account.socials === null ? null : { socials: account.socials },
    description: account.description,
    followers: account.followers ?? 0,
    following: account.following ?? 0,
    experience: account.experience,
    level: toLevel(account.experience),
    created_dttm: formatTimestamp(account.createdAt),
    updated_dttm: formatTimestamp(account.updatedAt),
  };
}
