/** The import rules of ARCHITECTURE.md. Each rule names the door that it guards. */

const domains = ['accounts', 'repositories', 'contributions', 'contributors', 'achievements', 'cards', 'boards'];

/** A room of the domain may import the rooms before it, never one after it. */
const domainOrder = domains.slice(0, -1).map((room, index) => ({
  name: `domain-order-${room}`,
  comment: `${room} knows nothing of the rooms that build on it`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: `^src/(${domains.slice(index + 1).join('|')})/` },
}));

export default {
  forbidden: [
    ...domainOrder,
    {
      name: 'no-circular',
      comment: 'a circle of imports has no bottom to start reading from',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'a file that nothing reaches is dead; what browsers load is sent, not imported',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '^src/cards/composer/script\\.js$' },
      to: {},
    },
    {
      name: 'sql-door',
      comment:
        'only store.ts (or ...-store.ts) and database/ know the SQL layer, and the compiler of conditions, whose product SQL is',
      severity: 'error',
      from: { path: '^src/', pathNot: '([/-]store\\.ts$|^src/database/|^src/achievements/evaluation/)' },
      to: { path: 'node_modules/(kysely|pg|@types/pg|graphile-worker)/' },
    },
    {
      name: 'web-door',
      comment: 'only routes.ts, cards/card.ts, boards/ and http/ know the web framework',
      severity: 'error',
      from: { path: '^src/', pathNot: '(/routes\\.ts$|^src/cards/card\\.ts$|^src/boards/|^src/http/)' },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'network-door',
      comment: 'only providers/transport/, outbound/ and history/ talk to servers of others; http/ listens',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(providers/transport|outbound|history|http)/' },
      to: { path: ['node_modules/undici/', '^(node:)?(https?|http2|net|tls|dgram)$'] },
    },
    {
      name: 'providers-know-the-seam-only',
      comment:
        'a provider imports the seam, what providers share, the errors and domain types; no other provider, no store, no sync',
      severity: 'error',
      from: { path: '^src/providers/([^/]+)/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/providers/$1/',
          '^src/providers/(?!index\\.ts$)[^/]+\\.ts$',
          '^src/providers/(http|rest|transport)/',
          '^src/errors\\.ts$',
          '^src/(accounts/account|repositories/repository|contributions/contribution|contributions/counters)\\.ts$',
        ],
      },
    },
    {
      name: 'sync-knows-no-provider-by-name',
      comment: 'sync sees the seam, never a named provider',
      severity: 'error',
      from: { path: '^src/sync/' },
      to: {
        path: '^src/providers/',
        pathNot: '^src/providers/(?!index\\.ts$)[^/]+\\.ts$',
      },
    },
    {
      name: 'history-knows-nobody',
      comment: 'history reads commits by the git protocol and knows no provider and no domain',
      severity: 'error',
      from: { path: '^src/history/' },
      to: { path: '^src/', pathNot: ['^src/history/', '^src/errors\\.ts$'] },
    },
    {
      name: 'outbound-knows-nobody',
      comment: 'requests to servers that somebody named are guarded in one place, for all who make them',
      severity: 'error',
      from: { path: '^src/outbound/' },
      to: { path: '^src/', pathNot: '^src/outbound/' },
    },
    {
      name: 'conditions-stand-alone',
      comment: 'the condition language imports nothing outside its folder',
      severity: 'error',
      from: { path: '^src/achievements/conditions/' },
      to: { pathNot: '^src/achievements/conditions/' },
    },
    {
      name: 'main-is-the-top',
      comment: 'nothing imports the command line',
      severity: 'error',
      from: {},
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'src-without-test-parts',
      comment: 'the service does not need what only tests need',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(simulators|test|bench|scripts)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'simulators-stand-alone',
      comment: 'a simulator that shares code with the service shares its mistakes',
      severity: 'error',
      from: { path: '^simulators/' },
      to: { path: '^(src|test|bench|scripts)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-dev-dependency-in-src',
      severity: 'error',
      comment: 'what the service imports must be installed with it',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-junk-drawers',
      comment: 'a folder is named after what it is about',
      severity: 'error',
      from: {},
      to: { path: '/(utils|helpers|common|types|services|lib|core)/', pathNot: 'node_modules' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)generated/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
