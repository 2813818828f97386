import { toPathPart } from '../../../model/account.ts';
import { type AppError, fieldError } from '../../../model/errors.ts';
import { readWindow } from '../../../model/windows/window.ts';

/** The paths below an account's URL that can be drawn as cards. */
const drawable =
  /^(achievements|contributions|boards\/[A-Za-z0-9-]{1,64}|(repositories\/[^/]{1,300}\/)?(contributors|badges\/community))$/;
const maxLength = 1000;

/**
 * Reads the path of a card of an account.
 * @param path the owner's input: a path of this service, with parameters.
 * @returns the part below the account's URL, with its format.
 * @throws AppError `invalid_input` that describes a valid path, or names the nearest valid value of a window.
 */
export function readImagePath(
  path: string,
  format: string,
  { account, now }: { account: { provider: string; name: string }; now: Date },
): string {
  const base = 'http://service.invalid';
  const isPath = path.startsWith('/v1/') && path.length <= maxLength && URL.canParse(path, base);
  if (!isPath) throw unfit(account);
  const { pathname, searchParams, hash, origin } = new URL(path, base);
  const [, version, provider, entities, name = '', ...rest] = pathname.split('/');
  const isOfAccount =
    origin === base &&
    hash === '' &&
    version === 'v1' &&
    provider === account.provider &&
    entities === 'entities' &&
    decode(name).replaceAll(':', '/').toLowerCase() === account.name.toLowerCase();
  if (!isOfAccount || !drawable.test(rest.join('/'))) throw unfit(account);
  const textOf = (parameter: string): string | undefined => searchParams.get(parameter) ?? undefined;
  const [since, until, period] = ['since', 'until', 'period'].map(textOf);
  readWindow({ since, until, period, time_zone: textOf('time_zone') }, now);
  searchParams.set('format', format);
  return `${rest.join('/')}?${searchParams.toString()}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function unfit({ provider, name }: { provider: string; name: string }): AppError {
  const prefix = `/v1/${provider}/entities/${toPathPart(name)}`;
  return fieldError(
    'path',
    `must be that of an image of this account, such as ${prefix}/contributions?private=true or ` +
      `${prefix}/repositories/NAME/contributors.`,
  );
}
