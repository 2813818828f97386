import { toFields } from '../../model/fields.ts';
import { isImageFormat, type Parameters } from '../pipeline/images.ts';
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
export function readForm({ body }: { body: unknown }): Form {
  const fields = Object.entries(toFields(body)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return Object.fromEntries(fields);
}

/**
 * Rewrites the forms of parameters that READMEs and programs contain into the documented ones: letter case of `format`,
 * further parameters behind a comma (`format=svg,private=true`), and `style=raw` for `raw=true`. Parameters that are
 * also given in the documented form keep that value. In URLs of images a parameter that repeats its value counts once,
 * and of several formats the image is drawn, because only an image can show the error.
 * @param parameters the raw parameters of a URL.
 * @param isImageOnly true where every response is an image.
 */
export function withDocumentedForms(parameters: Parameters, isImageOnly = false): Parameters {
  return readForms(withoutRepeated(parameters, isImageOnly));
}

function withoutRepeated(parameters: Parameters, isImageOnly: boolean): Parameters {
  const entries = Object.entries(parameters);
  if (!entries.some(([, value]) => Array.isArray(value))) return parameters;
  const formats = [parameters['format']].flat();
  const format = formats.find((sent) => typeof sent === 'string' && isImageFormat(sent.toLowerCase().split(',', 1)[0]));
  if (format === undefined && !isImageOnly) return parameters;
  const once = entries.map(([name, value]) => {
    const isRepeated = Array.isArray(value) && new Set(value).size === 1;
    return [name, isRepeated ? value[0] : value];
  });
  return { ...Object.fromEntries(once), ...(format !== undefined && { format }) };
}

function readForms(parameters: Parameters): Parameters {
  const { format, style } = parameters;
  if (typeof format !== 'string' && style === undefined) return parameters;
  const [first = '', ...rest] = typeof format === 'string' ? format.split(',') : [];
  const behind = rest.map((part): [string, string] => {
    const [name = '', value = ''] = part.split('=', 2);
    return [name.trim(), value.trim()];
  });
  // A part that is not a parameter leaves `format` unchanged, so that the error message shows what the client sent.
  const isList = behind.every(([name, value]) => /^\w+$/.test(name) && value !== '');
  const isRaw = typeof style === 'string' && style.toLowerCase() === 'raw';
  return {
    ...(isRaw && { raw: 'true' }),
    ...(isList && Object.fromEntries(behind)),
    ...parameters,
    ...(typeof format === 'string' && isList && { format: first.toLowerCase() }),
  };
}
