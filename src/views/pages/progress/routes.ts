import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../../accounts/resolve.ts';
import { type AccountName, AccountPath, RepositoryPath } from '../../../http/pipeline/endpoint.ts';
import { type Requester, toRequester, toSender } from '../../../http/pipeline/requester.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError } from '../../../model/errors.ts';
import { isCollecting, isStanding, progressScriptPath } from './page.ts';
import { countProgress } from './store.ts';

type Stream = FastifyReply['raw'];

/** The most streams at the same time, from one address and altogether, in a process. */
const maxStreams = { perAddress: 6, altogether: 500 };
/**
 * The number of signs of life that a stream sends, and the ms between them. After the last one browsers open a new
 * stream.
 */
const maxBeats = 6;
const beatMs = 10_000;
/** The ms between two counts of the repositories of an account that are collected, unless `progressEveryMs` is set. */
const countMs = 5000;
const Query = Type.Object({
  /** Wait until all public repositories of the account are collected, not only until the account is stored. */
  until: Type.Optional(Type.Literal('complete')),
  /** Follow this repository of the account alone. */
  repository: Type.Optional(RepositoryPath.properties.repository),
});
const script = readFileSync(new URL('script.js', import.meta.url));

interface Services extends RouteServices {
  progressEveryMs?: number | undefined;
}

/** Registers the stream that reports when an account is stored, and the script of pages that wait for it. */
export function progressRoutes(app: App, services: Services): void {
  const open = new Map<Stream, string>();
  app.get(progressScriptPath, { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/javascript; charset=utf-8').send(script),
  );
  app.get(
    '/pages/progress/:provider/:name',
    { schema: { hide: true, params: AccountPath, querystring: Query } },
    async (request, reply) => {
      const sender = toSender(request.ip);
      const ofSender = [...open.values()].filter((opener) => opener === sender).length;
      if (ofSender >= maxStreams.perAddress || open.size >= maxStreams.altogether) {
        throw new AppError(
          'rate_limited',
          'Too many pages wait for accounts at the same time. Refresh this one later.',
        );
      }
      const { raw } = reply.hijack();
      open.set(raw, sender);
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      raw.write(': waiting\n\n');
      raw.on('close', () => open.delete(raw)).on('error', () => {});
      // The response has begun, so it is not awaited here: `follow` ends it.
      follow(services, request.params, { requester: toRequester(request, false), ...request.query }, raw).catch(() =>
        raw.destroy(),
      );
      return reply;
    },
  );
  // Streams would keep the server from ending.
  app.addHook('preClose', async () => {
    for (const stream of open.keys()) stream.end();
  });
}

/**
 * Writes how much is collected, and whether the host fails, then an event: that the account is stored, that its collection is complete, or that the
 * lookup failed. Ends the stream with it.
 */
async function follow(
  { resolver, now, connection, providers, progressEveryMs = countMs }: Services,
  name: AccountName,
  { requester, until, repository }: { requester: Requester } & Static<typeof Query>,
  stream: Stream,
): Promise<void> {
  const closed = new AbortController();
  stream.once('close', () => closed.abort());
  const reportsTotals = providers.get(name.provider)?.accounts.reportsTotals === true;
  for (let beat = 0; beat < maxBeats; beat += 1) {
    const deadline = new Date(now().getTime() + (until === 'complete' ? progressEveryMs : beatMs));
    const progress = await countProgress(connection, { ...name, repository }, { now: now(), reportsTotals });
    if (stream.writableEnded) return;
    const { total, complete, stopped } = progress;
    const isFailing = isStanding(progress);
    const counts = { total, complete, ...(isFailing && { isFailing }) };
    if (total > 0 || isFailing) stream.write(`event: progress\ndata: ${JSON.stringify(counts)}\n\n`);
    // The collection begins again as soon as the failure no longer stands.
    for (const job of stopped) resolver.requestInBackground(job, requester);
    if ((until !== 'complete' || !isCollecting(progress)) && (await isKnown(resolver, name, { deadline, requester }))) {
      stream.end('event: ready\ndata: {}\n\n');
      return;
    }
    // A delayed lookup is not waited for.
    await wait(Math.max(0, deadline.getTime() - now().getTime()), undefined, { signal: closed.signal });
    if (stream.writableEnded) return;
    stream.write(': waiting\n\n');
  }
  stream.end();
}

async function isKnown(
  resolver: RouteServices['resolver'],
  name: AccountName,
  terms: { deadline: Date; requester: Requester },
): Promise<boolean> {
  try {
    return (await resolver.resolve(name, terms)).state !== 'pending';
  } catch {
    // The page says what failed.
    return true;
  }
}
