import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { AccountPath, privateProblemResponses, requireOwner } from '../../accounts/routes.ts';
import { findById } from '../../accounts/store.ts';
import { inTransaction } from '../../database/transaction.ts';
import { AppError } from '../../errors.ts';
import type { App } from '../../http/app.ts';
import { EnvelopeSchema, envelope, formatTimestamp, SingleSchema, single } from '../../http/envelope.ts';
import { imageFormats } from '../../http/images.ts';
import { sendPrivately } from '../../http/replies.ts';
import { actorOf, note } from '../actor.ts';
import type { AccessContext } from '../context.ts';
import { removeForOwner } from '../removal.ts';
import { issueToken } from '../tokens/issue.ts';
import { readImagePath } from './image-path.ts';
import { findEmbedBySecret, findEmbeds, removeEmbed, saveEmbed } from './store.ts';

const maxEmbeds = 200;
const secretBytes = 32;

const Request = Type.Object({
  path: Type.String({ description: 'Path and parameters of the image, below this service’s address.' }),
  format: Type.Enum([...imageFormats]),
});
const Link = Type.Object({
  id: Type.String({ format: 'uuid' }),
  url: Type.String({ format: 'uri', description: 'Shown once: only its hash is stored.' }),
});
const Listed = Type.Object({
  id: Type.String({ format: 'uuid' }),
  path: Type.String(),
  format: Type.String(),
  created_dttm: Type.String({ format: 'date-time' }),
});
const EmbedPath = Type.Object({
  ...AccountPath.properties,
  embed_id: Type.String({ pattern: '^[0-9a-f-]{36}$', maxLength: 36 }),
});
const SecretPath = Type.Object({
  secret: Type.String({ pattern: '^[\\w-]{43}\\.[a-z]{3}$', maxLength: 47, description: 'As the link ends.' }),
});

/** Adds links that open one card each, for pages that others may see. */
export function embedRoutes(app: App, context: AccessContext): void {
  creation(app, context);
  listingOfEmbeds(app, context);
  revocation(app, context);
  opening(app, context);
}

const address = '/v1/:provider/entities/:name/embeds';
const security = [{ serviceToken: [] }];

function creation(app: App, context: AccessContext): void {
  app.post(
    address,
    {
      schema: {
        summary: 'A link that opens one picture of the account, and nothing else',
        params: AccountPath,
        body: Request,
        security,
        response: { 201: SingleSchema(Link), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params, 'manage');
      if (owned === 'redirected') return reply;
      const { account, caller } = owned;
      const { format } = request.body;
      const path = readImagePath(request.body.path, format, account);
      const secret = context.randomBytes(secretBytes).toString('base64url');
      const id = context.newId();
      await inTransaction(context.connection, async (transaction) => {
        const held = await findEmbeds(transaction, account.id);
        if (held.length >= maxEmbeds) {
          throw new AppError('conflict', `The account has ${maxEmbeds} links already; revoke one first.`);
        }
        const embed = { id, accountId: account.id, path, format, createdAt: context.now() };
        await saveEmbed(transaction, { ...embed, secretHash: hashOf(secret) });
        const actor = await actorOf(transaction, caller);
        await note(context, transaction, account.id, { action: 'embed_created', subject: `${id} ${path}`, ...actor });
      });
      return sendPrivately(
        reply,
        single('unknown', { id, url: `${context.publicUrl()}/v1/embeds/${secret}.${format}` }),
        201,
      );
    },
  );
}

function listingOfEmbeds(app: App, context: AccessContext): void {
  app.get(
    address,
    {
      schema: {
        summary: 'The links that were made and not revoked, newest first',
        params: AccountPath,
        security,
        response: { 200: EnvelopeSchema(Listed), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params);
      if (owned === 'redirected') return reply;
      const embeds = await findEmbeds(context.connection, owned.account.id);
      const data = embeds.map(({ id, path, format, createdAt }) => ({
        id,
        path,
        format,
        created_dttm: formatTimestamp(createdAt),
      }));
      return sendPrivately(reply, envelope({ dataType: 'unknown', data }));
    },
  );
}

function revocation(app: App, context: AccessContext): void {
  app.delete(
    `${address}/:embed_id`,
    {
      schema: {
        summary: 'Revokes a link, at once on every node',
        params: EmbedPath,
        security,
        response: { 204: Type.Null(), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const { embed_id: subject } = request.params;
      return removeForOwner(context, { request, reply }, request.params, {
        subject,
        what: 'link',
        action: 'embed_revoked',
        remove: (transaction, accountId) => removeEmbed(transaction, accountId, subject),
      });
    },
  );
}

function opening(app: App, context: AccessContext): void {
  app.get(
    '/v1/embeds/:secret',
    { schema: { summary: 'The picture of a link', params: SecretPath, produces: ['image/svg+xml', 'image/png'] } },
    async (request, reply) => {
      const [secret = '', format] = request.params.secret.split('.');
      const embed = await findEmbedBySecret(context.connection, hashOf(secret));
      const account = embed && (await findById(context.connection, embed.accountId));
      if (embed === undefined || account === undefined || embed.format !== format) {
        throw new AppError('not_found', 'There is no such image.');
      }
      // The card is requested as its owner would request it, with a token that never leaves this process.
      const token = await issueToken(context, account, `embed:${embed.id}`);
      const etag = request.headers['if-none-match'];
      const asOwner = { authorization: `Bearer ${token}`, ...(etag !== undefined && { 'if-none-match': etag }) };
      const url = `/v1/${account.provider}/entities/${encodeURIComponent(account.name)}/${embed.path}`;
      let opened = await app.inject({ url, headers: asOwner });
      // A repository that was renamed since the link was made is found by its former name.
      const { location } = opened.headers;
      if (opened.statusCode === 301 && location !== undefined) {
        opened = await app.inject({ url: location, headers: asOwner });
      }
      const { statusCode, headers, rawPayload } = opened;
      const kept = ['content-type', 'content-security-policy', 'etag', 'retry-after'] as const;
      for (const name of kept) if (headers[name] !== undefined) reply.header(name, headers[name]);
      reply.removeHeader('access-control-allow-origin');
      return reply.code(statusCode).header('cache-control', 'private, no-store').send(rawPayload);
    },
  );
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
