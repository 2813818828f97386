import type { Parameters } from './images.ts';

/**
 * Rewrites the forms of parameters that READMEs and programs contain into the documented ones: letter case of `format`,
 * further parameters behind a comma (`format=svg,private=true`), and `style=raw` for `raw=true`. Parameters that are
 * also given in the documented form keep that value.
 * @param parameters the raw parameters of a URL.
 */
export function withDocumentedForms(parameters: Parameters): Parameters {
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
