import { existsSync, readFileSync } from 'node:fs';

/** The import rules of ARCHITECTURE.md. */

/** The rooms of src/, each above those that it may import. */
const rooms = [
  'model',
  'hosts',
  'database',
  'http',
  'accounts',
  'contributions',
  'recognition/rules',
  'recognition/signing',
  'recognition/notifications',
  'recognition/achievements',
  'recognition/boards',
  'sync',
  'views/languages',
  'views/cards',
  'views/pages',
  'app',
  'main\\.ts$',
];
/** Rooms that stand side by side: what readers see needs nothing of what jobs do, and boards nothing of achievements. */
const strangers = [
  ['sync', 'views'],
  ['views', 'sync'],
  ['recognition/boards', 'recognition/achievements'],
  ['http', 'hosts/(?!interface/)'],
];

const order = rooms.slice(0, -1).map((room, index) => ({
  name: `above-${room.replaceAll(/[^a-z]/g, '-')}`,
  comment: `${room} imports no room that builds on it`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: `^src/(${rooms
      .slice(index + 1)
      .map((above) => (above.includes('$') ? above : `${above}/`))
      .join('|')})`,
  },
}));
const apart = strangers.map(([from, to]) => ({
  name: `${from}-without-${to.replaceAll(/[^a-z]+/g, '-')}`.replaceAll('/', '-'),
  comment: `${from} imports nothing of ${to}`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: `^src/${to}` },
}));

/** Returns the files by which a package is imported: those that its `exports` or `main` name, without patterns. */
function entriesOf(name) {
  const folder = `node_modules/${name}`;
  if (!existsSync(folder)) return [];
  const { exports, main = 'index.js', module = main } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return filesIn(exports ?? [main, module])
    .filter((file) => !file.includes('*'))
    .map((file) => `^${`${folder}/${file.replace(/^[.][/]/, '')}`.replaceAll('.', '[.]')}([.]js|/index[.]js)?$`);
}

function filesIn(exports) {
  if (typeof exports === 'string') return [exports];
  return Object.values(exports ?? {}).flatMap(filesIn);
}

const { dependencies, optionalDependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }).flatMap(entriesOf);

export default {
  forbidden: [
    ...order,
    ...apart,
    {
      name: 'nothing-from-inside-a-package',
      comment:
        'a package may change what its exports do not name; the documents of ajv and kubernetes-models name their files',
      severity: 'error',
      from: {},
      to: {
        path: '^node_modules/',
        pathNot: [
          ...entries,
          '^node_modules/@types/[^/]+/index[.]d[.]ts$',
          '^node_modules/ajv/dist/20[0-9]+[.]js$',
          '^node_modules/kubernetes-models/',
        ],
      },
    },
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
      from: { orphan: true, path: '^src/', pathNot: '(^src/views/pages/[a-z-]+/script\\.js|\\.d\\.ts)$' },
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
        'only transport/, outbound/ and history/ of hosts/ send requests; http/ listens; authorities.ts names whom they trust',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(hosts/(transport|outbound|history)|http)/|^src/app/config/authorities[.]ts$',
      },
      to: { path: ['node_modules/undici/', '^(node:)?(https?|http2|net|tls|dgram)$'] },
    },
    {
      name: 'providers-import-only-the-interface',
      comment:
        'a provider imports the interface, the parts that providers share, errors and domain types; no other provider, no store, no sync',
      severity: 'error',
      from: { path: '^src/hosts/(github|gitlab|gitea)/' },
      to: {
        path: '^src/',
        pathNot: ['^src/hosts/$1/', '^src/hosts/(interface|http|rest|transport)/', '^src/model/'],
      },
    },
    {
      name: 'sync-imports-no-provider',
      comment: 'sync imports the interface, never one provider',
      severity: 'error',
      from: { path: '^src/sync/' },
      to: {
        path: '^src/hosts/',
        pathNot: '^src/hosts/(interface|history)/',
      },
    },
    {
      name: 'history-stands-alone',
      comment: 'history reads commits by the git protocol and imports no provider and no domain',
      severity: 'error',
      from: { path: '^src/hosts/history/' },
      to: { path: '^src/', pathNot: ['^src/hosts/history/', '^src/model/'] },
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
      to: { pathNot: '^src/(recognition/rules/conditions/|model/text\\.ts)' },
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
      comment: 'what the service imports must be installed with it, or as an optional peer',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'] },
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
