import type { FastifyReply } from 'fastify';
import { AppError } from '../../model/errors.ts';
import { sendMoved } from '../pipeline/send.ts';
import type { App } from './app.ts';

/**
 * Redirects addresses with a slash at the end, or several in a row, to the address without them. The router would take
 * the empty part for a name, so that `/contributions/` would be an address of one counter. Where the empty part is
 * really the place of a name, such as in `/v1/github/entities//contributions`, the address is of nothing.
 */
export function redirectExtraSlashes(app: App): void {
  app.addHook('onRequest', async (request, reply): Promise<FastifyReply | undefined> => {
    const [path = '', query] = request.url.split(/\?(.*)/s, 2);
    if (!/\/\/|.\/$/.test(path)) return undefined;
    if (request.method === 'GET' || request.method === 'HEAD') {
      const meant = withoutExtraSlashes(app, path);
      if (meant !== undefined) return sendMoved(request, reply, query === undefined ? meant : `${meant}?${query}`);
    }
    if (!request.is404) throw new AppError('not_found', 'A part of this address is empty.');
    return undefined;
  });
}

const isNamed = (part: string): boolean => part !== '';

/** Returns the path without empty parts; undefined where no route has it, or where one part may lack its name. */
function withoutExtraSlashes(app: App, path: string): string | undefined {
  const parts = path.split('/');
  const meant = `/${parts.filter(isNamed).join('/')}`;
  const trimmed = `/${parts.slice(parts.findIndex(isNamed), parts.findLastIndex(isNamed) + 1).join('/')}`;
  const isRoute = (url: string): boolean => app.findRoute({ method: 'GET', url }) !== null;
  return isRoute(meant) && (meant === trimmed || !isRoute(trimmed)) ? meant : undefined;
}
