/** The texts of sign-in and of the settings. */
export interface OwnerWords {
  signIn: string;
  /** With `{host}`. */
  signInWith: string;
  signInDetail: string;
  /** For a form that is sent after the session. */
  sessionEnded: string;
  noSignIn: string;
  signOut: string;
  signOutEverywhere: string;
  /** With `{name}`. */
  signedInAs: string;
  settings: string;
  yourAccounts: string;
  organization: string;
  organizationDetail: string;
  confirm: string;
  notAdministrator: string;
  confirmAgain: string;
  done: string;
  overview: string;
  installations: string;
  noInstallations: string;
  allRepositories: string;
  selectedRepositories: string;
  failing: string;
  /** With `{waiting}` and `{failed}`. */
  deliveries: string;
  /** With `{n}`. */
  skipped: string;
  privacy: string;
  publish: string;
  publishDetail: string;
  hide: string;
  hideDetail: string;
  boardsRepository: string;
  boardsRepositoryDetail: string;
  save: string;
  access: string;
  tokens: string;
  tokensDetail: string;
  issueToken: string;
  shownOnce: string;
  tokenId: string;
  revoke: string;
  keys: string;
  keysDetail: string;
  publicKey: string;
  addKey: string;
  remove: string;
  renew: string;
  embeds: string;
  embedsDetail: string;
  image: string;
  format: string;
  makeLink: string;
  nothingHere: string;
  notifications: string;
  notificationsDetail: string;
  sendAgain: string;
  secrets: string;
  secretsDetail: string;
  address: string;
  makeSecret: string;
  audit: string;
  older: string;
  yourData: string;
  export: string;
  exportDetail: string;
  erase: string;
  eraseDetail: string;
  /** With `{name}`. */
  typeName: string;
  /** With `{date}`. */
  until: string;
  states: Readonly<Record<'active' | 'suspended' | 'ended' | 'waiting' | 'sent' | 'dead', string>>;
}
