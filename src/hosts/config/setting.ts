import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../model/errors.ts';
import { findMisleading } from '../../model/text.ts';

/** A setting that the operator gives as an environment variable. */
export interface Setting<Result = unknown> {
  /** The name of the variable. */
  name: string;
  /** Secrets may also come from a file that the variable `NAME_FILE` names. */
  isSecret: boolean;
  /** The effect of leaving it out, for the help and docs/settings.md: the default value or its origin. */
  default: string;
  /** The bounds of an integer; undefined for a text. */
  range: { min: number; max: number } | undefined;
  /** The meaning and the unit, for the help and docs/settings.md. */
  description: string;
  /**
   * Returns the value for the configuration.
   * @param text undefined when the variable is not set.
   * @throws AppError `misconfigured`.
   */
  parse(text: string | undefined): Result;
}

/** The definition of a setting in the table. */
interface Definition<Schema extends TSchema, Default> {
  name: string;
  /** The schema of the value: an integer or a text. */
  schema: Schema;
  isSecret?: boolean;
  /** The value of a setting that is left out. */
  default: Default;
  /** Text to show in place of the default, where its value says too little. */
  shownDefault?: string;
  /** The valid values, for the error "NAME must be …". */
  valid: string;
  description: string;
}

/** Returns a setting. `toConfig` converts its value, for example from seconds to milliseconds. */
export function setting<Schema extends TSchema, const Default extends Static<Schema> | undefined, Result>(
  definition: Definition<Schema, Default> & { toConfig: (value: Static<Schema> | Default) => Result },
): Setting<Result>;
export function setting<Schema extends TSchema, const Default extends Static<Schema> | undefined>(
  definition: Definition<Schema, Default>,
): Setting<Static<Schema> | Default>;
export function setting({
  toConfig,
  ...definition
}: Definition<TSchema, string | number | undefined> & { toConfig?: (value: unknown) => unknown }): Setting {
  const { name, isSecret = false, description } = definition;
  return {
    name,
    isSecret,
    default: definition.shownDefault ?? String(definition.default ?? 'none'),
    range: readRange(definition.schema),
    description,
    parse: (text) => {
      const value = text === undefined ? definition.default : parseText(definition, text);
      return toConfig === undefined ? value : toConfig(value);
    },
  };
}

/** Returns the rest of a message about a value, which it does not show: a character that looks like another, or like none. */
function misleadingIn(text: string): string {
  const [found] = findMisleading(text);
  return found === undefined ? '' : `; it contains ${found.name}`;
}

function readRange(schema: TSchema): Setting['range'] {
  if (!('minimum' in schema && 'maximum' in schema)) return undefined;
  return { min: Number(schema.minimum), max: Number(schema.maximum) };
}

function parseText({ name, schema, valid }: Definition<TSchema, string | number | undefined>, text: string): unknown {
  const isInteger = 'type' in schema && schema.type === 'integer' && /^\d{1,9}$/.test(text);
  const value = isInteger ? Number(text) : text;
  if (!Value.Check(schema, value)) throw misconfigured(`${name} must be ${valid}${misleadingIn(text)}`);
  return value;
}

/** Returns the items between commas, each once. */
export function splitList(text: string | undefined): string[] {
  const items = (text ?? '').split(',').map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))];
}

/** Returns a URL without the slashes at its end. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Returns whether a text is an http:// or https:// address without user, query and fragment. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && search === '' && hash === '' && username === '';
}

/** Returns the error that stops a start. The message names the setting and never its value. */
export function misconfigured(message: string, cause?: unknown): AppError {
  return new AppError('misconfigured', message, { cause });
}

/** Returns whether a text is a host with an optional port; false for the ports 80 and 443, which URLs leave out. */
export function isHost(text: string): boolean {
  return ['http', 'https'].every((protocol) => {
    const address = `${protocol}://${text}`;
    return URL.canParse(address) && new URL(address).host === text.toLowerCase();
  });
}

/** Returns whether a text is an IP address, a range in CIDR notation, or the name of a group such as `loopback`. */
export function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', length, ...rest] = text.split('/');
  const bits = addressBits(address);
  const isRange = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
  return bits > 0 && isRange && rest.length === 0;
}

/** Returns 32 for an IPv4 address, 128 for an IPv6 address, 0 for anything else. */
function addressBits(text: string): number {
  if (text.includes(':')) return URL.canParse(`http://[${text}]`) ? 128 : 0;
  return URL.canParse(`http://${text}`) && /^[\d.]+$/.test(text) && new URL(`http://${text}`).hostname === text
    ? 32
    : 0;
}
