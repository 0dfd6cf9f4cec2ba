const SERVICES = 'pda|exchange|contracts|relay';
const WINGS_WITH_ROOMS = 'identity|data|sharing|network|account';
const ROOM = `server/(?<service>${SERVICES})/(?<room>(?:(?:${WINGS_WITH_ROOMS})/)?[^/]+)/`;

/** Wings, the lowest level first. A file may import, types included, only from its own wing and from lower levels. */
export const WING_LEVELS: readonly (readonly string[])[] = [
  ['storage'],
  ['core'],
  ['identity'],
  ['data'],
  ['sharing'],
  ['files', 'functions', 'network'],
  ['account'],
  ['cli'],
];

/** Areas by path. The first match counts. Some patterns capture `service` and `room`. */
export const AREAS = [
  ['test', /\.test(?:-support)?\.tsx?$|^tests\//],
  // Parts of platform that rules (`rules.ts` and `*-rules.ts`) may use: failures, back-off, calendar days, and
  // helpers for JSON and text.
  [
    'pure-platform',
    /^server\/platform\/(?:failure|local-date|async\/backoff|json\/equality|outbound\/foreign-text)\.ts$/,
  ],
  ['config', /(?:^|\/)[a-z-]+\.config\.ts$/],
  ['wire', /^server\/wire\//],
  // Creates IDs without a database, so every room may use it.
  ['platform', /^server\/platform\/postgres\/uuid-v7\.ts$/],
  ['postgres', /^server\/platform\/postgres\//],
  ['platform', /^server\/platform\//],
  ['storage', new RegExp(`^server/(?<service>${SERVICES})/storage/`)],
  ['core', /^server\/(?<service>pda)\/core\//],
  // Composition roots, index files of wings with rooms, and the transfer process, which uses rooms of several wings.
  ['composition', new RegExp(`^server/(?<service>${SERVICES})/\\k<service>\\.ts$`)],
  ['composition', new RegExp(`^server/(?<service>pda)/(?:${WINGS_WITH_ROOMS})/index\\.ts$`)],
  ['composition', /^server\/(?<service>pda)\/account\/transfer\/worker\/(?:main|tools)\.ts$/],
  ['command', /^server\/(?<service>pda)\/cli\//],
  ['command', new RegExp(`^server/(?<service>${SERVICES})/(?:cli|commands)(?:-[a-z-]+)?\\.ts$`)],
  ['command', /^server\/(?<service>network)\//],
  // The relay is a single room.
  ['root', /^server\/(?<service>relay)\//],
  ['root', new RegExp(`^server/(?<service>${SERVICES})/[^/]+\\.ts$`)],
  ['store', new RegExp(`^${ROOM}(?:.+[/-])?store\\.ts$`)],
  ['rules', new RegExp(`^${ROOM}(?:.+[/-])?rules\\.ts$`)],
  ['routes', new RegExp(`^${ROOM}(?:.+[/-])?routes\\.ts$`)],
  ['service', new RegExp(`^${ROOM}(?:service|index)\\.ts$`)],
  ['room', new RegExp(`^${ROOM}`)],
  ['sandbox', /^functions-sandbox\//],
  ['renderer', /^renderer\//],
  ['main', /^main\//],
  ['tools', /^(?:build|bench)\//],
] as const satisfies readonly (readonly [string, RegExp])[];

export type Area = (typeof AREAS)[number][0];

/** Target of an import. `open-room` is a room whose types every other room may import. */
export type WallTarget =
  | Exclude<Area, 'store' | 'rules' | 'routes' | 'service' | 'room'>
  | 'own-room'
  | 'own-service'
  | 'own-store'
  | 'open-room'
  | 'other-room'
  | 'other-service'
  | 'other-server';

export const OPEN_ROOMS = ['server/pda/data/queries'];

type Wall = {
  readonly values: readonly WallTarget[];
  readonly types: readonly WallTarget[];
  readonly rule: string;
  readonly why: string;
};

const BELOW_ROOMS = ['wire', 'platform', 'pure-platform'] as const;
const COMPOSED = [...BELOW_ROOMS, 'core', 'storage', 'root', 'composition'] as const;
const OTHER_ROOMS = ['open-room', 'other-room', 'other-service'] as const;
const INSIDE_A_ROOM = [...BELOW_ROOMS, 'core', 'own-room', 'own-service', 'own-store'] as const;
const TYPES_IN_A_ROOM = [...INSIDE_A_ROOM, 'storage', 'other-service', 'open-room'] as const;

const ROOM_WALL: Wall = {
  rule: 'direction',
  values: INSIDE_A_ROOM,
  types: TYPES_IN_A_ROOM,
  why: 'a room may depend on wire, platform, core and itself',
};

/** Permitted imports of values (run-time code) and types (`import type`). Areas without an entry are unrestricted. */
export const WALLS: Partial<Record<Area, Wall>> = {
  wire: {
    rule: 'wire-stands-alone',
    values: ['wire'],
    types: ['wire'],
    why: 'wire is shared by all parts, so it imports none of them',
  },
  platform: {
    rule: 'platform-below-rooms',
    values: BELOW_ROOMS,
    types: BELOW_ROOMS,
    why: 'platform depends only on wire, because every server uses it',
  },
  postgres: {
    rule: 'platform-below-rooms',
    values: [...BELOW_ROOMS, 'postgres'],
    types: [...BELOW_ROOMS, 'postgres'],
    why: 'the exchange and the contracts service use PostgreSQL through the same code, which depends on neither',
  },
  storage: {
    rule: 'storage-below-rooms',
    values: [...BELOW_ROOMS, 'postgres', 'storage'],
    types: [...BELOW_ROOMS, 'postgres', 'storage'],
    why: 'storage opens the database and depends on no room',
  },
  core: {
    rule: 'direction',
    values: [...BELOW_ROOMS, 'storage', 'core'],
    types: [...BELOW_ROOMS, 'storage', 'core'],
    why: 'every room may import values of core, so core depends on no room',
  },
  room: ROOM_WALL,
  service: ROOM_WALL,
  store: {
    rule: 'direction',
    values: [...INSIDE_A_ROOM, 'storage'],
    types: TYPES_IN_A_ROOM,
    why: 'a store may depend on wire, platform, core, storage and its own room',
  },
  routes: {
    rule: 'direction',
    values: [...BELOW_ROOMS, 'core', 'own-room', 'own-service'],
    types: TYPES_IN_A_ROOM,
    why: 'routes reach data through their service',
  },
  rules: {
    rule: 'rules-are-pure',
    values: ['wire', 'pure-platform', 'core', 'own-room'],
    types: TYPES_IN_A_ROOM,
    why: 'rules do no I/O: they may depend on wire, pure parts of platform, core and their own room',
  },
  root: {
    rule: 'direction',
    values: [...BELOW_ROOMS, 'core', 'storage', 'root'],
    types: [...BELOW_ROOMS, 'core', 'storage', 'root', 'other-service', 'open-room'],
    why: 'only the composition root connects rooms',
  },
  composition: {
    rule: 'direction',
    values: [...COMPOSED, ...OTHER_ROOMS],
    types: [...COMPOSED, 'own-room', 'own-store', ...OTHER_ROOMS],
    why: 'a composition root connects rooms and does not depend on its callers',
  },
  command: {
    rule: 'direction',
    values: [...COMPOSED, 'command'],
    types: [...COMPOSED, 'command', 'open-room', 'other-service', 'other-server'],
    why: 'a command runs what the composition root creates',
  },
  sandbox: {
    rule: 'sandbox-stands-alone',
    values: ['wire', 'sandbox'],
    types: ['wire', 'sandbox'],
    why: 'the process that runs third-party code loads wire and itself only',
  },
  renderer: {
    rule: 'renderer-types-only',
    values: ['wire', 'renderer'],
    types: ['renderer', ...COMPOSED, ...OTHER_ROOMS],
    why: 'the renderer runs in a browser: it may import types of the server and values of wire',
  },
  main: {
    rule: 'main-spawns-the-server',
    values: ['wire', 'main'],
    types: ['main', ...BELOW_ROOMS, 'core', 'root', 'composition', ...OTHER_ROOMS],
    why: 'the shell starts the server as a process and never loads it',
  },
};

export const RULE_OF_TARGET: Partial<Record<WallTarget, { readonly rule: string; readonly why: string }>> = {
  storage: {
    rule: 'storage-behind-stores',
    why: 'SQL lives in store.ts files; others take the store as an argument (its types may be imported)',
  },
  'own-service': {
    rule: 'rules-are-pure',
    why: 'rules work on plain data; the service calls them, never the other way round',
  },
  'own-store': { rule: 'store-behind-service', why: 'routes and rules do not read the database: the service does' },
  'other-room': {
    rule: 'rooms-meet-in-pda',
    why: "rooms meet only in the composition root; `import type` of another room's index.ts and service.ts is allowed",
  },
  'other-service': {
    rule: 'rooms-meet-in-pda',
    why: "take another room's service as an argument; `import type` of its index.ts and service.ts is allowed",
  },
  'open-room': {
    rule: 'rooms-meet-in-pda',
    why: 'types of this room may be imported; values are passed in by the composition root',
  },
  'other-server': {
    rule: 'servers-meet-on-the-network',
    why: 'the servers communicate over the network; shared code is in wire and platform',
  },
};

/** Areas whose violations are reported under the more specific rules of `RULE_OF_TARGET`. */
export const AREAS_WITH_SPECIFIC_RULES: ReadonlySet<Area> = new Set([
  'room',
  'service',
  'store',
  'routes',
  'rules',
  'root',
  'command',
]);

/** Packages that only certain files may import. `where` describes the files; `files: 1` allows only one of them. */
export const RESTRICTED_PACKAGES = [
  {
    rule: 'sqlite-only-in-storage',
    packages: ['better-sqlite3'],
    within: /^server\/pda\/storage\/|^bench\/|\.test(?:-support)?\.ts$|^tests\//,
    where: 'only in server/pda/storage, tests and bench',
  },
  {
    rule: 'isolated-vm-only-in-sandbox',
    packages: ['isolated-vm'],
    within: /^functions-sandbox\//,
    where: 'only in one file of functions-sandbox',
    files: 1,
  },
  {
    rule: 'koa-only-in-http',
    packages: ['koa', '@koa/router', '@koa/send', 'koa-compress'],
    within: /^server\/platform\/http\/|^bench\//,
    where: 'only in server/platform/http and bench',
  },
  {
    rule: 'electron-only-in-main',
    packages: ['electron', 'electron-updater'],
    // Rules are tested without Electron, so their modules must load without it.
    within: /^main\/(?!server\/|updates\/guarded-server\.|(?:.+[/-])?rules\.ts$)/,
    where: 'only in main, except in main/server/, updates/guarded-server.ts and rules.ts files',
  },
  {
    rule: 'postgres-behind-storage',
    packages: ['pg', '@electric-sql/pglite', 'kysely'],
    within:
      /^server\/platform\/postgres\/|^server\/(?:exchange|contracts)\/(?:storage\/|(?:[^/]+\/){1,2}(?:[^/]+-)?store\.ts$)|^bench\/|\.test(?:-support)?\.ts$|^tests\//,
    where: 'only in server/platform/postgres, the storage folder and stores of exchange and contracts, tests and bench',
  },
] as const;

export const BANNED = {
  rule: 'banned-packages',
  why: 'query JSON with server/pda/data/queries/language instead of jsonpath, store secrets with main/system/key-vault.ts instead of keytar, and do not rebuild native modules',
  packages: /^(?:jsonpath(?:-plus|-faster|ly)?|keytar|electron-rebuild|@electron\/rebuild)$/,
};

/** Node's modules with side effects, which rules must not import. */
export const IO_MODULES =
  /^(?:node:)?(?:fs|fs\/promises|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|cluster|timers|timers\/promises|sqlite)$/;

/** Files that may compute the target of an import, and why. */
export const COMPUTED_IMPORTS_ALLOWED: ReadonlyMap<string, string> = new Map([
  [
    'server/pda/storage/threads/worker.ts',
    'the composition root names the module of query functions, so that storage does not depend on any room',
  ],
]);

/**
 * Files that connect rooms. Their functions must not use variables of an enclosing function that are declared further
 * down. Instead, a room that is created later registers with an earlier one.
 */
export const COMPOSITION_FILES = new RegExp(`^server/(?:(?<service>${SERVICES})/\\k<service>|pda/(?:.+/)?index)\\.ts$`);

/** Files that must not be part of an import cycle, unless they are tests. */
export const ACYCLIC_FILES = /^server\//;

export const MAX_FOLDER_ENTRIES: ReadonlyMap<string, number> = new Map([['server/pda', 12]]);

/** Files that may have a default export, because a tool requires it. */
export const DEFAULT_EXPORTS_ALLOWED = /\.config\.ts$|\.d\.ts$/;
export const WARNING_LINES = 400;
export const MAX_LINES = 500;

export const CHECKED_FOLDERS = new Set(['server', 'functions-sandbox', 'renderer', 'main', 'build', 'bench', 'tests']);
export const IGNORED_FOLDERS = new Set(['node_modules', 'dist']);
