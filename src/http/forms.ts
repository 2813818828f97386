import type { App } from './app.ts';

/** The fields of a form; of a repeated field the last value. */
export type Form = Readonly<Record<string, string>>;

/**
 * Adds routes whose bodies are forms of pages. They are apart from the API's, which reads bodies as JSON even where
 * programs call them forms.
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
