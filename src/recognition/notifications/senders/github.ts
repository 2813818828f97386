import type { Notifier } from '../../../hosts/interface/notifier.ts';
import { AppError } from '../../../model/errors.ts';
import type { Attempt, Content, Outcome, Target } from '../notification.ts';
import { plainName } from './plain-name.ts';

type Discussion = Extract<Target, { title: string }>;

const nothingToWriteWith =
  'the service may not write there: at GitHub it has to be installed as an app, elsewhere it needs a token';

/** Comments on a discussion. Refuses repositories of other owners, because an owner's file must not write to them. */
export async function comment(
  notifier: Notifier | undefined,
  { id, target, owner, content }: Attempt & { target: Discussion },
  signal: AbortSignal,
): Promise<Outcome> {
  // Groups may be nested, so the owner ends at the last slash.
  const cut = target.repository.lastIndexOf('/');
  const [ownerName, repository] = [target.repository.slice(0, cut), target.repository.slice(cut + 1)];
  if (ownerName.toLowerCase() !== owner.name.toLowerCase()) {
    return { outcome: 'failed', reason: 'is in a repository of another owner', isFinal: true };
  }
  if (notifier === undefined) return { outcome: 'failed', reason: nothingToWriteWith };
  const discussion = { owner: owner.externalId, ownerName: owner.name, repository, title: target.title };
  const call = { urgency: 'background', signal, cost: { requests: 0, points: 0 } } as const;
  try {
    await notifier.comment(discussion, { id, text: commentText(content) }, call);
    return { outcome: 'sent' };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { outcome: 'failed', reason: error.message, retryAt: error.retryAt };
  }
}

/** Returns the text of a comment. Names are written as code, so that they mention no account and link nothing. */
export function commentText({ person, achievement, repository }: Content): string {
  return `🏆 ${asCode(person)} earned the achievement ${asCode(achievement)} in ${asCode(repository)}.`;
}

/** Returns a text as a code span (CommonMark, section 6.1), with more backticks around it than it contains in a row. */
function asCode(text: string): string {
  const name = plainName(text);
  const longest = Math.max(0, ...[...name.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${name}${fence}` : `${fence} ${name} ${fence}`;
}
