import { readFileSync } from 'node:fs';
import type { App } from '../../http/app.ts';
import { cardOptionParameters } from '../options.ts';
import { kindFields, type Wanted } from './address.ts';
import { composerPage } from './page.ts';

export interface ComposerContext {
  providers: ReadonlyMap<string, unknown>;
  publicUrl: () => string;
  profileUrl: (provider: string, name: string) => string;
}

const fields = [
  'provider',
  'name',
  'repository',
  'card',
  'format',
  ...kindFields,
  ...Object.keys(cardOptionParameters),
];
const maxLength = 300;
const security = {
  'content-security-policy':
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};
const files = [
  { name: 'style.css', type: 'text/css; charset=utf-8' },
  { name: 'script.js', type: 'text/javascript; charset=utf-8' },
].map(({ name, type }) => ({ name, type, content: readFileSync(new URL(name, import.meta.url)) }));

/** Registers the page on which people compose cards. */
export function composerRoutes(app: App, { providers, publicUrl, profileUrl }: ComposerContext): void {
  app.get('/cards', { schema: { hide: true } }, async (request, reply) => {
    const page = composerPage(readForm(request.query), {
      providers: [...providers.keys()],
      publicUrl: publicUrl(),
      profileUrl,
    });
    return reply
      .headers({ ...security, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(page);
  });
  for (const { name, type, content } of files) {
    app.get(`/cards/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=3600').type(type).send(content),
    );
  }
}

/** Reads the fields of the form: a repeated field becomes a list, and a colour may begin with `#`. */
function readForm(query: unknown): Wanted {
  const given = new Map<string, unknown>(Object.entries(Object(query)));
  const wanted = new Map<string, string>();
  for (const field of fields) {
    const words = [given.get(field)].flat().filter((word) => typeof word === 'string' && word !== '');
    const value = words.join(',').trim().slice(0, maxLength).toWellFormed();
    if (value !== '') wanted.set(field, field.endsWith('_color') ? value.replace(/^#/, '') : value);
  }
  return wanted;
}
