/** The import rules of ARCHITECTURE.md. */

const domains = [
  'accounts',
  'repositories',
  'contributions',
  'contributors',
  'achievements',
  'boards',
  'cards',
  'pages',
];

/** A module of the domain may import the modules before it, never one after it. */
const domainOrder = domains.slice(0, -1).map((module, index) => ({
  name: `domain-order-${module}`,
  comment: `${module} imports no module that builds on it`,
  severity: 'error',
  from: { path: `^src/${module}/` },
  to: { path: `^src/(${domains.slice(index + 1).join('|')})/` },
}));

export default {
  forbidden: [
    ...domainOrder,
    {
      name: 'no-circular',
      comment: 'a reader finds no place to begin in a circle of imports',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment:
        'a file that nothing imports is dead; scripts of pages are sent to browsers, and declarations hold for modules of packages',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '(^src/pages/[a-z-]+/script\\.js|\\.d\\.ts)$' },
      to: {},
    },
    {
      name: 'sql-only-in-stores',
      comment:
        'only store.ts (or ...-store.ts) and database/ import the SQL layer, and the compiler of conditions, which returns SQL',
      severity: 'error',
      from: { path: '^src/', pathNot: '([/-]store\\.ts$|^src/database/|^src/recognition/rules/evaluation/)' },
      to: { path: 'node_modules/(kysely|pg|@types/pg|graphile-worker)/' },
    },
    {
      name: 'web-framework-only-in-routes',
      comment: 'only routes.ts and http/ import the web framework',
      severity: 'error',
      from: { path: '^src/', pathNot: '(/routes\\.ts$|^src/http/)' },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'network-only-in-transports',
      comment:
        'only providers/transport/, outbound/ and history/ send requests; http/ listens; config/authorities.ts names whom they trust',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(providers/transport|outbound|history|http)/|^src/config/authorities[.]ts$',
      },
      to: { path: ['node_modules/undici/', '^(node:)?(https?|http2|net|tls|dgram)$'] },
    },
    {
      name: 'providers-import-only-the-interface',
      comment:
        'a provider imports the interface, the parts that providers share, errors and domain types; no other provider, no store, no sync',
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
      name: 'sync-imports-no-provider',
      comment: 'sync imports the interface, never one provider',
      severity: 'error',
      from: { path: '^src/sync/' },
      to: {
        path: '^src/providers/',
        pathNot: '^src/providers/(?!index\\.ts$)[^/]+\\.ts$',
      },
    },
    {
      name: 'history-stands-alone',
      comment: 'history reads commits by the git protocol and imports no provider and no domain',
      severity: 'error',
      from: { path: '^src/hosts/history/' },
      to: { path: '^src/', pathNot: ['^src/hosts/history/', '^src/errors\\.ts$'] },
    },
    {
      name: 'outbound-stands-alone',
      comment: 'requests to servers that a user named are guarded in one place',
      severity: 'error',
      from: { path: '^src/hosts/outbound/' },
      to: { path: '^src/', pathNot: '^src/hosts/outbound/' },
    },
    {
      name: 'conditions-stand-alone',
      comment: 'the condition language imports nothing outside its folder but the search for near names',
      severity: 'error',
      from: { path: '^src/recognition/rules/conditions/' },
      to: { pathNot: '^src/(achievements/conditions/|nearest\\.ts$)' },
    },
    {
      name: 'main-is-imported-nowhere',
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
      comment: 'a simulator that shares code with the service shares its errors',
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
      name: 'no-collective-folders',
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
