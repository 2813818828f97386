import { parseArgs } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { findByName } from '../../accounts/store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { openDatabase } from '../../database/connections/open.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { announce } from '../../database/queue/announcements.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import {
  type Candidate,
  findCandidates,
  findForeignIds,
  type ImportedAward,
  importAwards,
  readSavedAwards,
} from '../../recognition/achievements/awards/import-store.ts';
import { readConfig } from '../config/config.ts';
import { readBytes } from './files.ts';
import { type Io, parseOrRefuse, UsageError } from './io.ts';
import { readTarget } from './target.ts';

const usage =
  'import-awards needs --account PROVIDER/NAME and FILE, and for a repository name of several owners --repository OWNER/NAME';

/**
 * `plaudit import-awards --account PROVIDER/NAME FILE`: stores the awards of one person that another service with this
 * interface has shown. They keep their ids, dates and names, are marked as imported, and are never signed.
 */
export async function importSavedAwards(io: Io, args: readonly string[]): Promise<void> {
  const { account: target, file, repositories } = readArguments(args);
  const saved = readSavedAwards(Buffer.from(await readBytes(io, file)).toString());
  await using database = await openDatabase({ ...readConfig(io.environment), log: io.warn });
  const { connection } = database;
  const account = await findPerson(connection, target);
  const candidates = await findCandidates(
    connection,
    account.provider,
    saved.map(({ repository_name: name }) => name),
  );
  const awards = saved.map((award) => ({
    id: award.id,
    repositoryId: choose(award.repository_name, candidates, repositories).id,
    name: award.name,
    icon: award.icon_url,
    description: award.description,
    awardedAt: new Date(award.awarded_dttm),
  }));
  refuseRepeated(awards);
  const [foreign] = await findForeignIds(connection, account.id, awards);
  if (foreign !== undefined)
    throw new AppError('conflict', `the id ${foreign} belongs to another award here; nothing was imported`);
  const { added, existing: known } = await inTransaction(connection, async (transaction) => {
    const counts = await importAwards(transaction, account.id, awards, { now: new Date(), newId: uuidv7 });
    await announce(transaction, { kind: 'account', key: account.id });
    return counts;
  });
  io.print(`${added} awards imported, ${known} existed`);
}

interface Arguments {
  account: { provider: string; name: string };
  file: string;
  /** `OWNER/NAME` of repositories whose names alone are ambiguous. */
  repositories: readonly string[];
}

function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseOrRefuse(usage, () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { account: { type: 'string' }, repository: { type: 'string', multiple: true, default: [] } },
    }),
  );
  const target = readTarget(values.account);
  const [file, ...others] = positionals;
  if (target === undefined || target.repository !== undefined || file === undefined || others.length > 0) {
    throw new UsageError(usage);
  }
  return { account: { provider: target.provider, name: target.name }, file, repositories: values.repository };
}

async function findPerson(
  connection: Connection,
  { provider, name }: { provider: string; name: string },
): Promise<Account> {
  const holder = await findByName(connection, provider, name);
  if (holder === undefined || holder.state === 'deleted') {
    throw new AppError(
      'not_found',
      `nothing is stored of ${provider}/${name}; plaudit sync ${provider}/${name} fetches it`,
    );
  }
  if (holder.account.type !== 'user') throw new AppError('invalid_input', `${provider}/${name} is not a person`);
  return holder.account;
}

function refuseRepeated(awards: readonly ImportedAward[]): void {
  const seen = new Set<string>();
  for (const { repositoryId, name } of awards) {
    const key = `${repositoryId} ${name}`;
    if (seen.has(key))
      throw new AppError('conflict', `the file has the achievement ${name} twice; nothing was imported`);
    seen.add(key);
  }
}

/** Returns the only stored repository of a name, or the one that the operator named. */
function choose(name: string, candidates: readonly Candidate[], named: readonly string[]): Candidate {
  const ofName = candidates.filter((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  const chosen = ofName.filter((candidate) =>
    named.some((full) => full.toLowerCase() === fullName(candidate).toLowerCase()),
  );
  const [found, ...others] = chosen.length > 0 ? chosen : ofName;
  if (found === undefined) {
    const remedy = 'plaudit sync PROVIDER/OWNER fetches the repositories of its owner';
    throw new AppError('not_found', `no repository called ${name} is stored; ${remedy}`);
  }
  if (others.length > 0) {
    const choices = ofName.map(fullName).join(', ');
    throw new AppError(
      'conflict',
      `${name} may be ${choices}; choose one with --repository OWNER/NAME. Nothing was imported`,
    );
  }
  return found;
}

function fullName({ owner, name }: Candidate): string {
  return `${owner}/${name}`;
}
