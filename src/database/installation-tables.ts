/** What accounts let the service see: by installing its app at the provider, or because the operator says so. */
export interface InstallationsTable {
  provider: string;
  /** The provider's id of the installation; the operator's begin with `operator`. */
  id: string;
  source: 'app' | 'operator';
  account_external_id: string;
  account_name: string;
  /** The name of the credential that it is; null: those that are configured. */
  access: string | null;
  covers: 'all' | 'selected';
  missing_permissions: string[];
  suspended_at: Date | null;
  /** Kept for a while, so that an older answer of the provider does not bring it back. */
  removed_at: Date | null;
  /** When the provider was asked that told of it as it is stored. */
  seen_at: Date;
  /** Of a selection: when the provider was asked what it holds. */
  covered_at: Date | null;
  created_at: Date;
}

/** Of what covers selected repositories: which. */
export interface CoveredRepositoriesTable {
  provider: string;
  installation_id: string;
  repository_external_id: string;
}
