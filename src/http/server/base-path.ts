import type { App } from './app.ts';

/**
 * Returns the path of a public URL, below which the service is for its readers; empty where it has the whole host, and while
 * a service that starts does not know its URL.
 */
export function basePathIn(publicUrl: string): string {
  return (URL.parse(publicUrl)?.pathname ?? '').replace(/\/$/, '');
}

/**
 * Returns a request target without the base path. A proxy may leave the base path in it or strip it: no address of the
 * service begins with it, as the settings see to.
 */
export function withoutBase(target: string, base: string): string {
  if (base === '' || !target.startsWith(base)) return target;
  const rest = target.slice(base.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}

/** Adds the base path to a path of this service; other addresses stay as they are. */
function withBase(address: string, base: string): string {
  return address.startsWith('/') && !address.startsWith('//') ? `${base}${address}` : address;
}

/** Adds the base path to the addresses in attributes of a page. Text holds no quotation marks, so only markup matches. */
export function withBaseInPage(html: string, base: string): string {
  return base === ''
    ? html
    : html.replace(/( (?:href|src|srcset|action|formaction|data-progress)=")(?=\/(?!\/))/g, `$1${base}`);
}

/** Adds the base path to redirects to paths of this service. */
export function redirectBelow(app: App, base: string): void {
  if (base === '') return;
  app.addHook('onSend', async (_request, reply) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string') reply.header('location', withBase(location, base));
  });
}
