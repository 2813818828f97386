import { Type } from 'typebox';
import { sendMoved } from '../../../http/pipeline/send.ts';
import type { App } from '../../../http/server/app.ts';
import { accountPath, repositoryPath } from '../addresses.ts';

const BoardPath = Type.Object({ name: Type.String({ maxLength: 255 }) });
const RepositoryPath = Type.Object({ ...BoardPath.properties, repository: Type.String({ maxLength: 255 }) });
const page = { isPage: true };

/** Redirects the addresses of the service that this one replaces (docs/moving.md): its pages, and its API without a host. */
export function movedRoutes(app: App): void {
  app.get('/entities/*', { schema: { hide: true } }, async (request, reply) =>
    sendMoved(request, reply, `/v1/github${request.url}`),
  );
  for (const path of ['/board/:name', '/board/:name/*', '/board/:name/achievements']) {
    const section = path.endsWith('/achievements') ? '#achievements' : '';
    app.get(path, { schema: { hide: true, params: BoardPath }, config: page }, async (request, reply) =>
      sendMoved(request, reply, `${accountPath('github', request.params.name)}${queryIn(request.url)}${section}`),
    );
  }
  for (const path of ['/board/:name/repository/:repository', '/board/:name/repository/:repository/*']) {
    app.get(path, { schema: { hide: true, params: RepositoryPath }, config: page }, async (request, reply) => {
      const { name, repository } = request.params;
      return sendMoved(request, reply, `${repositoryPath('github', name, repository)}${queryIn(request.url)}`);
    });
  }
}

function queryIn(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}
