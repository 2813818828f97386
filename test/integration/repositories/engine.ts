/** A repository as a provider shows it, without its visibility. */
export const engine = {
  externalId: '1',
  handle: 'R_1',
  name: 'engine',
  description: '',
  language: '',
  license: '',
  defaultBranch: 'main',
  isFork: false,
  stars: 0,
  forks: 0,
  openIssues: 0,
  sizeKib: 0,
};
