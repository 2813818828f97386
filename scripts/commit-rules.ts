import { listViolations, wordingRules } from './wording.ts';

const types = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
const subjectPattern = new RegExp(`^(?:${types.join('|')})(?:\\([a-z0-9/-]+\\))?!?: [^A-Z\\s]`);
const maxSubjectLength = 100;
/** Lines that name people or references, and say nothing about the change. */
const trailer = /^[A-Z][A-Za-z-]+: .*$/gm;

/** Returns the rules that a commit message breaks, one sentence each; empty when it breaks none. */
export function listProblems(message: string): string[] {
  const [subject = '', separator = '', ...rest] = message.trim().split('\n');
  const problems: string[] = [];
  if (!subjectPattern.test(subject))
    problems.push(`begin the subject with type(scope): and a lower-case letter; the types are ${types.join(', ')}`);
  if (subject.length > maxSubjectLength)
    problems.push(`shorten the subject from ${subject.length} to at most ${maxSubjectLength} characters`);
  if (separator.trim() !== '') problems.push('leave the second line empty');
  if (rest.join('\n').replaceAll(trailer, '').trim() === '') problems.push('say in a body why the change is made');
  for (const { found, instead } of listViolations(message, wordingRules)) problems.push(`“${found}”: ${instead}`);
  return problems;
}
