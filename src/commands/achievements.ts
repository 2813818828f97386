import { type ReadConfigFile, readConfigFile } from '../achievements/config-file.ts';
import { formatReport } from '../achievements/report.ts';
import { AppError } from '../errors.ts';
import type { Io } from './io.ts';
import { previewAchievements } from './preview-achievements.ts';
import { readBytes } from './read-bytes.ts';

/** `plaudit achievements check|preview`: files of achievements before they are live. */
export async function achievements(io: Io, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === 'check') await checkFiles(io, rest);
  else if (name === 'preview') await previewAchievements(io, rest);
  else throw new AppError('invalid_input', 'achievements needs check FILE..., or preview FILE --repository OWNER/NAME');
}

/**
 * Says what is wrong with files of achievements; `-` is standard input.
 * @throws AppError `invalid_input` when there is an error in any, after all of them were reported.
 */
async function checkFiles(io: Io, args: readonly string[]): Promise<void> {
  const isJson = args.includes('--json');
  const paths = args.filter((argument) => argument !== '--json');
  const unknown = paths.find((path) => path.startsWith('--'));
  if (paths.length === 0 || unknown !== undefined) {
    throw new AppError(
      'invalid_input',
      `achievements check needs FILE... and maybe --json${unknown === undefined ? '' : `, not ${unknown}`}`,
    );
  }
  const files: { file: string; read: ReadConfigFile }[] = [];
  for (const file of paths) files.push({ file, read: readConfigFile(await readBytes(io, file)) });
  if (isJson) {
    io.print(JSON.stringify(files.flatMap(({ file, read }) => read.reports.map((report) => ({ file, ...report })))));
  } else {
    for (const { file, read } of files) {
      for (const report of read.reports) io.print(formatReport(file, read.text, report));
      const { achievements } = read.config;
      if (read.reports.length === 0) io.print(`${file}: ${counted(achievements.length, 'achievement')}, no fault`);
    }
  }
  const reports = files.flatMap(({ read }) => read.reports);
  const errors = reports.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    const warnings = reports.length - errors;
    throw new AppError('invalid_input', `${counted(errors, 'error')} and ${counted(warnings, 'warning')}`);
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
