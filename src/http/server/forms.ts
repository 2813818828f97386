import type { App } from './app.ts';

/** The fields of a form. A repeated field has its last value. */
export type Form = Readonly<Record<string, string>>;

/**
 * Adds routes whose bodies are forms of pages. They have a parser of their own, because the routes of the API read
 * bodies as JSON even where the content type is that of a form.
 */
export function addFormRoutes(app: App, add: (app: App) => void): void {
  app.register((scope, _options, done) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, parsed) =>
      parsed(null, Object.fromEntries(new URLSearchParams(body.toString()))),
    );
    add(scope);
    done();
  });
}

/** Returns the fields of a request's form. */
export function formOf({ body }: { body: unknown }): Form {
  const fields = Object.entries(Object(body)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return Object.fromEntries(fields);
}
