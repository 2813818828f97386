import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { createChecks } from '../http/checks.ts';

const { parseJson, ...checks } = createChecks('The code host');
export const { checkPayload, existing, invalid, unavailable } = checks;

/** A member with the avatar of an account, without the host. */
const partOfAvatarUrl = /("avatar_?url"\s*:\s*)"(\/[^"\\]*)"/gi;

/**
 * Parses a response of the host at a URL, and completes the URLs of avatars: GitLab sends a path in GraphQL, and the host
 * without a scheme where its asset host is configured so (gitlabhq/gitlabhq, app/models/concerns/avatarable.rb).
 * @throws AppError `provider_invalid_response`.
 */
export function parsePayload(text: string, hostUrl: string): unknown {
  return parseJson(
    text.replace(partOfAvatarUrl, (_, member: string, path: string) => {
      return `${member}${JSON.stringify(URL.parse(path, hostUrl)?.href ?? '')}`;
    }),
  );
}

/**
 * Parses the position in a list.
 * @throws AppError `provider_invalid_response`, so that the list is read again from its start.
 */
export function readCursor<Schema extends TSchema>(schema: Schema, cursor: string): Static<Schema> {
  try {
    return Value.Parse(schema, JSON.parse(cursor));
  } catch {
    throw invalid('the position in a list cannot be read');
  }
}
