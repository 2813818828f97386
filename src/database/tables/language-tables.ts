/** The changed files of one language in the commits of one day (UTC) that name an address, or in all of them (`everyAddress`). */
export interface LanguageDaysTable {
  repository_id: string;
  identity_id: number;
  day: string;
  language: string;
  files: number;
  commits: number;
}

/** The changed files of one language in all commits that name an address, or in all of them (`everyAddress`). */
export interface LanguageSumsTable {
  repository_id: string;
  identity_id: number;
  language: string;
  files: number;
}
