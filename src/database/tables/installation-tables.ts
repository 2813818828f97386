/** Accounts that let the service see their data: they installed its app at the provider, or the operator added them. */
export interface InstallationsTable {
  provider: string;
  /** The provider's id of the installation; the operator's ids begin with `operator`. */
  id: string;
  source: 'app' | 'operator';
  account_external_id: string;
  account_name: string;
  /** The name of the installation's own credential; null: the configured credentials. */
  credential_name: string | null;
  covers: 'all' | 'selected';
  missing_permissions: string[];
  suspended_at: Date | null;
  /** The row stays for a while, so that an older response of the provider does not bring the installation back. */
  removed_at: Date | null;
  /** The time of the request whose response is stored. */
  seen_at: Date;
  /** For selected repositories: the time of the last request for their list. */
  covered_at: Date | null;
  created_at: Date;
}

/** Credentials that are not accepted any more; everything private that they showed is hidden. */
export interface WithdrawnCredentialsTable {
  provider: string;
  credential_name: string;
  withdrawn_at: Date;
}

/** The repositories of an installation that covers selected ones. */
export interface CoveredRepositoriesTable {
  provider: string;
  installation_id: string;
  repository_external_id: string;
}
