/** The facts that a provider reports about a repository. */
export interface RepositoryFacts {
  /** The provider's immutable id. */
  externalId: string;
  /** The identifier of the repository in the provider's API. */
  handle: string;
  /** Without the owner. */
  name: string;
  description: string;
  /** The main language; empty when unknown. */
  language: string;
  /** The license's display name; empty when none is known. */
  license: string;
  /** Empty when there is no commit yet. */
  defaultBranch: string;
  isPrivate: boolean;
  /** For a private repository, the name of the provider's credential that shows it. */
  credentialName: string | null;
  isFork: boolean;
  /** The numbers are null when the response lacked them; the stored numbers then stay. */
  stars: number | null;
  forks: number | null;
  /** As the provider counts them. */
  openIssues: number | null;
  sizeKib: number | null;
}
