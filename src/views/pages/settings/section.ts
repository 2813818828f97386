import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { recentForMs } from '../../../accounts/access/administrators/holding.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import type { Session } from '../../../accounts/access/sessions/session.ts';
import { type Administered, findAdministered } from '../../../accounts/access/sessions/store.ts';
import { findById } from '../../../accounts/store.ts';
import type { Provider } from '../../../hosts/interface/provider.ts';
import type { Caller } from '../../../http/pipeline/caller.ts';
import type { AccountName } from '../../../http/pipeline/endpoint.ts';
import type { OwnerRequest } from '../../../http/pipeline/endpoint-registry.ts';
import type { Form } from '../../../http/server/forms.ts';
import { type Account, nameKey } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { fill } from '../../languages/language.ts';
import type { PageWords } from '../../languages/texts.ts';
import { html, type Markup } from '../layout/html.ts';
import type { Site } from '../layout/layout.ts';
import type { Reader } from '../layout/reader.ts';

/** The longest time, in ms, since the host confirmed an administrator: to see the settings, and to change them. */
const confirmedForMs = { reading: 8 * 3_600_000, changing: recentForMs };
const maxOrganizations = 100;

/** An account that a person may manage. */
export interface Target {
  account: Account;
  provider: Provider;
  caller: Caller;
  /** False: the host has to confirm the administration again before a change. */
  mayChange: boolean;
}

/** The context of a request to the settings of an account. */
export interface SettingsContext {
  services: AccessServices;
  site: Site;
  reader: Reader;
  session: Session;
  target: Target;
  /** The parameters of the address. */
  query: URLSearchParams;
  /** The fields of a form that was refused, which its page shows again; otherwise none. */
  entered: Form;
  /** Calls an endpoint for owners, with the rules and the audit trail of the API. */
  call: (
    operationId: string,
    input?: Pick<OwnerRequest, 'params' | 'query' | 'body' | 'page'>,
  ) => Promise<object | undefined>;
}

/** A page of the settings. */
export interface Section {
  /** The last segment of its path. */
  slug: string;
  title: (words: PageWords['owner']) => string;
  show: (context: SettingsContext) => Promise<Markup>;
  /** The labels of the fields of its forms, by the names of the API. */
  fields?: Readonly<Record<string, (words: PageWords['owner']) => string>>;
  /**
   * The changes that its forms make, by the value of `action`.
   * @returns markup that is shown once, such as a secret; undefined for nothing.
   */
  actions: Readonly<Record<string, (context: SettingsContext, form: Form) => Promise<Markup | undefined>>>;
}

const Response = Type.Object({ data: Type.Unknown() });

/** Reads the items of a list that an endpoint responded with. */
export function readItems<Schema extends TSchema>(schema: Schema, response: object | undefined): Static<Schema>[] {
  return Value.Parse(Type.Array(schema), Value.Parse(Response, response).data);
}

/** Reads the item that an endpoint responded with. */
export function readItem<Schema extends TSchema>(schema: Schema, response: object | undefined): Static<Schema> {
  return Value.Parse(schema, Value.Parse(Response, response).data);
}

/**
 * Renders a form of a section.
 * @param fields the inputs and the button.
 */
export function form({ session }: SettingsContext, action: string, fields: Markup): Markup {
  return html`<form method="post"><input type="hidden" name="form_token" value="${session.formToken}"><input type="hidden" name="action" value="${action}">
${fields}</form>`;
}

/** Renders a form of one button about an item. */
export function itemForm(context: SettingsContext, action: string, id: string, label: string): Markup {
  return form(
    context,
    action,
    html`<input type="hidden" name="id" value="${id}"><button type="submit" class="small">${label}</button>`,
  );
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the change that calls an endpoint about the item of a form.
 * @param parameter the path parameter with the id of the item.
 * @throws AppError `invalid_input` when the form has no id.
 */
export function callAboutItem(operationId: string, parameter: string): Section['actions'][string] {
  return async ({ call }, { id = '' }) => {
    if (!uuid.test(id)) throw new AppError('invalid_input', 'The form names no item. Load its page again.');
    await call(operationId, { params: { [parameter]: id } });
    return undefined;
  };
}

/** The members of a key or a link that say who holds it, and until when. */
export const Held = Type.Object({
  id: Type.String(),
  created_dttm: Type.String(),
  registered_by: Type.Union([Type.Null(), Type.String()]),
  state: Type.Enum(['active', 'suspended', 'ended']),
  ends_dttm: Type.Union([Type.Null(), Type.String()]),
});

/** Renders who holds a key or a link, since when and until when. */
export function holding(held: Static<typeof Held>, reader: Reader): Markup {
  const { created_dttm: since, registered_by: holder, ends_dttm: end } = held;
  const until = (date: string): string =>
    fill(reader.words.owner.until, { date: reader.language.date(new Date(date)) });
  return html`<bdi>${holder ?? '–'}</bdi> · ${day(since, reader)}${end !== null && html` · ${until(end)}`}`;
}

/** Renders a secret that is shown once. */
export function secretNotice({ reader }: SettingsContext, label: string, secret: string): Markup {
  const { owner } = reader.words;
  return html`<div class="notice" role="status" tabindex="-1" autofocus><p><strong>${label}</strong> ${owner.shownOnce}</p>
<p><textarea readonly rows="3" spellcheck="false" aria-label="${label}">${secret}</textarea></p></div>`;
}

/** Renders a day of an item. */
export function day(text: string, { language }: Reader): Markup {
  return html`<time datetime="${text}">${language.date(new Date(text))}</time>`;
}

export function list(items: readonly Markup[], { words }: Reader): Markup {
  return items.length === 0
    ? html`<p class="empty">${words.owner.nothingHere}</p>`
    : html`<ul class="entries">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** Finds the organizations that the host confirmed a person to administer in the last hours. */
export function findOrganizations(
  { connection, now }: Pick<AccessServices, 'connection' | 'now'>,
  { account }: Session,
): Promise<Administered[]> {
  const confirmedAfter = new Date(now().getTime() - confirmedForMs.reading);
  return findAdministered(connection, account, { confirmedAfter, limit: maxOrganizations });
}

/** Finds an account that a person may manage; undefined while the host has not confirmed it. */
export async function findTarget(
  services: Pick<AccessServices, 'connection' | 'now' | 'providers'>,
  session: Session,
  name: AccountName,
): Promise<Target | undefined> {
  const { account: own, person, expiresAt } = session;
  const provider = services.providers.get(name.provider);
  if (provider === undefined || name.provider !== own.provider) return undefined;
  const toCaller = (accountId: string): Caller => ({
    accountId,
    tokenId: null,
    keyId: null,
    mayManage: true,
    expiresAt: expiresAt.getTime(),
    person,
  });
  if (nameKey(name.name) === nameKey(own.name)) {
    return { account: own, provider, caller: toCaller(own.id), mayChange: true };
  }
  const organizations = await findOrganizations(services, session);
  const found = organizations.find((organization) => nameKey(organization.name) === nameKey(name.name));
  const account = found && (await findById(services.connection, found.id));
  if (found === undefined || account === undefined) return undefined;
  const mayChange = found.confirmedAt.getTime() > services.now().getTime() - confirmedForMs.changing;
  return { account, provider, caller: toCaller(account.id), mayChange };
}
