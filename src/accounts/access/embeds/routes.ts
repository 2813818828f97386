import { createHash } from 'node:crypto';
import { type TSchema, Type } from 'typebox';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import {
  EnvelopeSchema,
  envelope,
  formatTimestamp,
  SingleSchema,
  single,
  TimestampSchema,
  UuidSchema,
} from '../../../http/pipeline/envelope.ts';
import { imageFormats, toReaderHeaders } from '../../../http/pipeline/images.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import { ProblemSchema } from '../../../http/pipeline/problem.ts';
import type { App } from '../../../http/server/app.ts';
import { basePathIn, withoutBase } from '../../../http/server/base-path.ts';
import { toPathPart } from '../../../model/account.ts';
import { AppError, fieldError } from '../../../model/errors.ts';
import { readWindow } from '../../../model/windows/window.ts';
import { findById } from '../../store.ts';
import { findActor, recordAction } from '../actor.ts';
import { assessHolding } from '../administrators/holding.ts';
import { findHolder, holderFields, presentHolder, requestCheck } from '../administrators/person.ts';
import { removeItem } from '../owned-items.ts';
import type { AccessServices } from '../services.ts';
import { issueToken } from '../tokens/issue.ts';
import { findEmbedBySecret, findEmbeds, type HeldEmbed, removeEmbed, renewEmbed, saveEmbed } from './store.ts';

/** The paths below an account's URL that can be drawn as cards. */
const drawable =
  /^(achievements|contributions|boards\/[A-Za-z0-9-]{1,64}|(repositories\/[^/]{1,300}\/)?(contributors|badges\/community))$/;
const maxLength = 1000;

const maxEmbeds = 200;
const secretBytes = 32;

const Request = Type.Object(
  {
    path: Type.String({ description: 'Path and parameters of the image, below this service’s address.' }),
    format: Type.Enum([...imageFormats]),
  },
  { title: 'EmbedRequest' },
);
const Link = Type.Object(
  {
    id: UuidSchema(),
    url: Type.String({ format: 'uri', description: 'Shown once: only its hash is stored.' }),
  },
  { title: 'NewEmbed' },
);
const Listed = Type.Object(
  {
    id: UuidSchema(),
    path: Type.String(),
    format: Type.String(),
    created_dttm: TimestampSchema(),
    ...holderFields,
  },
  { title: 'Embed' },
);
const EmbedPath = Type.Object({
  ...AccountPath.properties,
  embed_id: Type.String({ pattern: '^[0-9a-f-]{36}$', maxLength: 36 }),
});
const SecretPath = Type.Object({
  secret: Type.String({ pattern: '^[\\w-]{43}\\.[a-z]{3}$', maxLength: 47, description: 'As the link ends.' }),
});

/** Adds links that open one card each, for pages that others may see. */
export function embedRoutes(app: App, services: AccessServices): void {
  addCreation(app, services);
  addList(app, services);
  addRenewal(app, services);
  addRevocation(app, services);
  addOpening(app, services);
}

const path = '/v1/:provider/entities/:name/embeds';

/** The responses of the route that opens a link, beside those of all routes. */
const openedResponses: Record<number, TSchema> = {
  202: Type.Null(),
  304: Type.Null(),
  403: ProblemSchema,
  502: ProblemSchema,
};

function addCreation(app: App, services: AccessServices): void {
  addOwnerEndpoint(app, services, {
    method: 'POST',
    path,
    operationId: 'createEmbed',
    tag: 'Owners',
    summary: 'A link that opens one card of the account, and nothing else',
    needs: 'manage',
    params: AccountPath,
    body: Request,
    status: 201,
    response: SingleSchema(Link),
    load: async ({ account, caller, body: { path: givenPath, format } }) => {
      const imagePath = readImagePath(givenPath, format, { account, now: services.now() });
      const secret = services.randomBytes(secretBytes).toString('base64url');
      const id = services.newId();
      await inTransaction(services.connection, async (transaction) => {
        const stored = await findEmbeds(transaction, account.id);
        if (stored.length >= maxEmbeds) {
          throw new AppError('conflict', `The account has ${maxEmbeds} links already; revoke one first.`);
        }
        const embed = { id, accountId: account.id, path: imagePath, format, createdAt: services.now() };
        const holder = await findHolder(transaction, account, caller, services.now());
        await saveEmbed(transaction, { ...embed, secretHash: hashSecret(secret), holder });
        await requestCheck(transaction, account, holder.person);
        const actor = await findActor(transaction, caller);
        const subject = `${id} ${imagePath}`;
        await recordAction(services, transaction, account.id, { action: 'embed_created', subject, ...actor });
      });
      return { id, url: `${services.publicUrl()}/v1/embeds/${secret}.${format}` };
    },
    present: (link) => single('unknown', link),
  });
}

function addList(app: App, services: AccessServices): void {
  addOwnerEndpoint(app, services, {
    method: 'GET',
    path,
    operationId: 'listEmbeds',
    tag: 'Owners',
    summary: 'The links that were made and not revoked, newest first',
    needs: 'read',
    params: AccountPath,
    response: EnvelopeSchema(Listed),
    load: ({ account }) => findEmbeds(services.connection, account.id),
    present: (embeds) => envelope({ dataType: 'unknown', data: embeds.map((embed) => toItem(embed, services.now())) }),
  });
}

function addRenewal(app: App, services: AccessServices): void {
  addOwnerEndpoint(app, services, {
    method: 'PUT',
    path: `${path}/:embed_id`,
    operationId: 'renewEmbed',
    tag: 'Owners',
    summary: 'Renews a link; it belongs to the administrator who does so from then on',
    needs: 'manage',
    confirmation: 'live',
    params: EmbedPath,
    load: async ({ account, caller, params: { embed_id: id } }) => {
      await inTransaction(services.connection, async (transaction) => {
        const holder = await findHolder(transaction, account, caller, services.now());
        const renewed = await renewEmbed(transaction, { accountId: account.id, id }, holder);
        if (renewed === undefined) throw new AppError('not_found', 'The account has no such link.');
        const isOwnLink = renewed.formerHolder === (holder.person?.id ?? null);
        const actor = await findActor(transaction, caller);
        const action = isOwnLink ? 'embed_renewed' : 'embed_taken_over';
        await recordAction(services, transaction, account.id, { action, subject: id, ...actor });
        await requestCheck(transaction, account, holder.person);
      });
    },
  });
}

function addRevocation(app: App, services: AccessServices): void {
  addOwnerEndpoint(app, services, {
    method: 'DELETE',
    path: `${path}/:embed_id`,
    operationId: 'revokeEmbed',
    tag: 'Owners',
    summary: 'Revokes a link, at once on every node',
    needs: 'manage',
    params: EmbedPath,
    load: (context) =>
      removeItem(services, context, {
        subject: context.params.embed_id,
        itemName: 'link',
        action: 'embed_revoked',
        remove: (transaction, accountId) => removeEmbed(transaction, accountId, context.params.embed_id),
      }),
  });
}

function addOpening(app: App, services: AccessServices): void {
  app.get(
    '/v1/embeds/:secret',
    {
      schema: {
        operationId: 'openEmbed',
        tags: ['Owners'],
        summary: 'The card of a link',
        params: SecretPath,
        security: [],
        produces: ['image/svg+xml', 'image/png'],
        response: openedResponses,
      },
    },
    async (request, reply) => {
      const [secret = '', format] = request.params.secret.split('.');
      const embed = await findEmbedBySecret(services.connection, hashSecret(secret));
      const account = embed && (await findById(services.connection, embed.accountId));
      const isActive = embed && assessHolding(embed.holding, services.now()).state === 'active';
      if (!isActive || account === undefined || embed.format !== format) {
        throw new AppError('not_found', 'There is no such image.');
      }
      // This process requests the card with a token of the owner, which never leaves it.
      const token = await issueToken(services, account, `embed:${embed.id}`);
      const etag = request.headers['if-none-match'];
      const asOwner = {
        ...toReaderHeaders(request.headers),
        authorization: `Bearer ${token}`,
        ...(etag !== undefined && { 'if-none-match': etag }),
      };
      const url = `/v1/${account.provider}/entities/${toPathPart(account.name)}/${embed.path}`;
      let card = await app.inject({ url, headers: asOwner });
      // A repository that was renamed since the link was made is found by its former name.
      const { location } = card.headers;
      if (card.statusCode === 301 && location !== undefined) {
        card = await app.inject({ url: withoutBase(location, basePathIn(services.publicUrl())), headers: asOwner });
      }
      const { statusCode, headers, rawPayload } = card;
      for (const name of forwarded) if (headers[name] !== undefined) reply.header(name, headers[name]);
      reply.removeHeader('access-control-allow-origin');
      return reply.code(statusCode).header('cache-control', 'private, no-store').send(rawPayload);
    },
  );
}

/** The headers of the card that its link has, too. */
const forwarded = ['content-type', 'content-security-policy', 'etag', 'retry-after', 'vary', 'x-error-code'] as const;

function toItem({ id, path, format, createdAt, holding }: HeldEmbed, now: Date): object {
  return { id, path, format, created_dttm: formatTimestamp(createdAt), ...presentHolder(holding, now) };
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Reads the path of a card of an account.
 * @param path the owner's input: a path of this service, with parameters.
 * @returns the part below the account's URL, with its format.
 * @throws AppError `invalid_input` that describes a valid path, or names the nearest valid value of a window.
 */
function readImagePath(
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
  const readText = (parameter: string): string | undefined => searchParams.get(parameter) ?? undefined;
  const [since, until, period] = ['since', 'until', 'period'].map(readText);
  readWindow({ since, until, period, time_zone: readText('time_zone') }, now);
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
