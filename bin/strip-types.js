// Node runs TypeScript, but not below node_modules, where an installed package lies: it refuses files there
// (https://nodejs.org/api/typescript.html#type-stripping-in-dependencies). For the files of this package, these hooks
// do what Node does elsewhere. Plain JavaScript, because Node has to read it first.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

// Every start would print that this function of Node is experimental.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).startsWith('stripTypeScriptTypes ')) emitWarning(warning, ...rest);
};

const sources = new URL('../src/', import.meta.url).href;

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(sources) || !url.endsWith('.ts')) return nextLoad(url, context);
    const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'), { mode: 'strip' });
    return { format: 'module', source, shortCircuit: true };
  },
});
