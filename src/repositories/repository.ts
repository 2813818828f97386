/** What a provider tells of a repository. */
export interface RepositoryFacts {
  /** The provider's immutable id. */
  externalId: string;
  /** What the provider's API calls the repository by. */
  handle: string;
  /** Without the owner. */
  name: string;
  description: string;
  /** The language that most of it is written in; empty when unknown. */
  language: string;
  /** The license's display name; empty when none is known. */
  license: string;
  /** Empty when there is no commit yet. */
  defaultBranch: string;
  isPrivate: boolean;
  /** Of a private one: the name of the provider's credential that shows it. */
  access: string | null;
  isFork: boolean;
  /** Null for each: it could not be read, so that the stored number stays. */
  stars: number | null;
  forks: number | null;
  /** As the provider counts them. */
  openIssues: number | null;
  sizeKib: number | null;
}
