import { html as fill, raw } from 'hono/html';

/** Markup, which templates insert as it is. All other text is escaped. */
export type Markup = ReturnType<typeof raw>;

/** The values of a template; false, null and undefined insert nothing. */
type Value = string | number | false | null | undefined | Markup | readonly Value[];

/** Makes markup from a template. No value may be a promise, so the result is at hand at once. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const markup = fill(strings, ...values);
  if (markup instanceof Promise) throw new TypeError('a value of a template is a promise');
  return markup;
}

/** Marks text as markup that this service made itself. */
export const trusted = (markup: string): Markup => raw(markup);
