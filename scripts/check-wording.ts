import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { beginning, listViolations, titleBeginning, wordingRules } from './wording.ts';

/**
 * Checks the wording of comments, test titles and messages: `npm run check:wording`, or `-- --json` for programs, `-- PATH...` for some files.
 * The rules are in wording.ts, the terms in docs/glossary.md.
 */

interface Passage {
  line: number;
  text: string;
  kind: 'comment' | 'title' | 'message';
}

interface Finding extends Passage {
  file: string;
  found: string;
  instead: string;
}

/** Calls whose texts people read: the log, the output of commands, and makers of errors. */
const messageCalls =
  /(?:^|[.#])log(?:\.\w+)?$|\.(?:print|warn)$|^(?:misconfigured|newFault|invalid)$|(?:#fail|onFailure)$/;
/** Fields of commands, settings, findings and errors that people read. */
const messageFields = new Set([
  'message',
  'description',
  'valid',
  'remedy',
  'help',
  'details',
  'summary',
  'why',
  'reason',
  'narrative',
]);

const beginnings = { comment: [beginning], title: [titleBeginning], message: [] };

const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const files = globSync([
  'src/**/*.sql',
  'src/**/*.ts',
  'simulators/**/*.ts',
  'workflow/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.ts',
])
  .filter((file) => !file.includes('/generated/') && file !== 'scripts/wording.ts')
  .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
  .toSorted();
let comments = 0;
const findings = files.flatMap((file) => listPassages(file).flatMap((passage) => check(file, passage)));

if (process.argv.includes('--json')) {
  console.log(JSON.stringify(findings));
} else {
  for (const { file, line, found, instead } of findings) console.log(`${file}:${line}: “${found}”: ${instead}`);
  const places = new Set(findings.map(({ file, line }) => `${file}:${line}`)).size;
  if (places > 0)
    console.log(`${places} of ${comments} comments, titles and messages need other words; see docs/glossary.md`);
  process.exitCode = places > 0 ? 1 : 0;
}

function check(file: string, passage: Passage): Finding[] {
  comments += 1;
  const rules = [...beginnings[passage.kind], ...wordingRules];
  return listViolations(passage.text, rules).map(({ found, instead }) =>
    Object.assign({ file, found, instead }, passage),
  );
}

/** Returns the comments of a file and the titles of its tests. */
function listPassages(file: string): Passage[] {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.sql')) return commentsInSql(text);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const passages: Passage[] = [];
  const seen = new Set<number>();
  const toLine = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const addComments = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(text, node.getEnd()) ?? [];
    for (const { pos, end } of [...leading, ...trailing]) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      passages.push({ line: toLine(pos), text: plain(text.slice(pos, end)), kind: 'comment' });
    }
  };
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    if (children.length === 0) addComments(node);
    const title = toTitle(node);
    if (title !== undefined)
      passages.push({ line: toLine(title.getStart(source)), text: textsIn([title]).join(' '), kind: 'title' });
    if (file.startsWith('src/'))
      passages.push(
        ...listMessages(node).map((text) => ({ line: toLine(node.getStart(source)), text, kind: 'message' as const })),
      );
    for (const child of children) visit(child);
  };
  visit(source);
  return passages;
}

/** Returns the comments of a file of SQL: lines that begin with two dashes, together where they follow each other. */
function commentsInSql(text: string): Passage[] {
  return [...text.matchAll(/(?:^ *--.*\n)+/gm)].map(({ 0: comment, index }) => ({
    line: text.slice(0, index).split('\n').length,
    text: comment.replaceAll(/^ *-- ?/gm, '').trim(),
    kind: 'comment' as const,
  }));
}

function plain(comment: string): string {
  return comment
    .replace(/^\/\*\*?|\*\/$|^\/\//g, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .trim();
}

/** Returns the title of a test or suite, which may be a template. */
function toTitle(node: ts.Node): ts.Expression | undefined {
  if (!ts.isCallExpression(node) || !/^(?:test|it|describe|t\.test|context\.test)$/.test(node.expression.getText()))
    return undefined;
  const [title] = node.arguments;
  return title;
}

/** Returns the texts in a node that users read. */
function listMessages(node: ts.Node): string[] {
  if (ts.isThrowStatement(node) && ts.isCallExpression(node.expression)) return textsIn([node.expression]);
  if (ts.isNewExpression(node) && node.expression.getText().endsWith('Error')) return textsIn(node.arguments ?? []);
  if (ts.isCallExpression(node) && messageCalls.test(node.expression.getText())) return textsIn(node.arguments);
  if (ts.isPropertyAssignment(node) && messageFields.has(node.name.getText())) return textsIn([node.initializer]);
  return [];
}

/** Returns the literal texts of expressions, without those of functions in them. */
function textsIn(nodes: readonly ts.Node[]): string[] {
  return nodes.flatMap((node) => {
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isTemplateExpression(node))
      return [[node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('``')];
    return ts.isFunctionLike(node) ? [] : textsIn(node.getChildren());
  });
}
