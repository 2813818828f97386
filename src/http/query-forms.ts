import type { Parameters } from './images.ts';

/**
 * Rewrites the forms of parameters that READMEs and programs contain into the documented ones: letter case of `format`,
 * further parameters behind a comma (`format=svg,private=true`), and `style=raw` for `raw=true`. Parameters that are
 * also given in the documented form keep that value.
 * @param given the raw parameters of a URL.
 */
export function withDocumentedForms(given: Parameters): Parameters {
  const { format, style } = given;
  if (typeof format !== 'string' && style === undefined) return given;
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
    ...given,
    ...(typeof format === 'string' && isList && { format: first.toLowerCase() }),
  };
}
