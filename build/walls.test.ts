import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkWalls, formatFindings } from './walls.ts';

const trees: string[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true });
});

function writeTree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'walls-'));
  trees.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Returns the findings as `file:line rule`. */
const findingsOf = (files: Readonly<Record<string, string>>): string[] =>
  checkWalls(writeTree(files)).findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`);

const findingsOfFile = (file: string, line: string): string[] => findingsOf({ [file]: `const unused = 1;\n${line}\n` });

describe('checkWalls', () => {
  it('reports nothing for a tree without violations', () => {
    expect(
      findingsOf({
        'server/wire/records.ts': `import { z } from 'zod'; import { a } from './common.ts';`,
        'server/platform/http.ts': `import { a } from '../wire/records.ts'; import { log } from './log.ts';`,
        'server/pda/storage/open.ts': `import { Database } from 'better-sqlite3'; import { log } from '../../platform/log.ts';`,
        'server/pda/storage/threads/worker.ts': `const a = await import(name);`,
        'server/pda/data/records/routes.ts': `import { a } from '../../../wire/records.ts'; import { s } from './service.ts'; import { r } from '../../../platform/http.ts';`,
        'server/pda/data/records/service.ts': `import { decide } from './rules.ts'; import { F } from '../../../platform/failure.ts'; import type { Owner } from '../../identity/owner/service.ts'; import type { Q } from '../queries/compile.ts'; import type { Tx } from '../../storage/open.ts';`,
        'server/pda/data/records/rules.ts': `import { a } from '../../../wire/records.ts'; import { createHash } from 'node:crypto'; import { F } from '../../../platform/failure.ts';`,
        'server/pda/data/records/store.ts': `import { open } from '../../storage/open.ts';`,
        'server/pda/data/records/store.test.ts': `import { o } from '../../identity/owner/store.ts'; import { open } from '../../storage/open.ts'; import D from 'better-sqlite3';`,
        'server/pda/pda.ts': `import { s } from './data/records/service.ts'; import { q } from './data/queries/compile.ts'; import { open } from './storage/open.ts'; import { c } from './config.ts';`,
        'server/pda/cli/main.js': `import { createPda } from '../pda.ts'; import { c } from '../config.ts';`,
        'server/exchange/storage/open.ts': `import { Pool } from 'pg'; import { Kysely } from 'kysely'; import { PGlite } from '@electric-sql/pglite';`,
        'functions-sandbox/isolate.ts': `import ivm from 'isolated-vm'; import { a } from '../server/wire/functions.ts';`,
        'main/ui/window.ts': `import { BrowserWindow } from 'electron'; import { a } from '../../server/wire/common.ts';`,
        'renderer/api/client.ts': `import type { Routes } from '../../server/pda/data/records/routes.ts'; import { a } from '../../server/wire/records.ts';`,
        'renderer/dashboard/vite.config.ts': `import react from '@vitejs/plugin-react'; export default {};`,
        'vitest.config.ts': `export default {};`,
        'bench/run.ts': `import D from 'better-sqlite3'; import { a } from '../server/pda/pda.ts'; const b = await import(process.argv[2]);`,
        'package.json': `{ "dependencies": { "zod": "4.0.0" } }`,
      }),
    ).toEqual([]);
  });
});

describe('checkWalls on a tree with a violation', () => {
  it.each([
    ['wire imports no other part', 'server/wire/a.ts', `import { b } from '../platform/b.ts';`, 'wire-stands-alone'],
    [
      'wire imports no types of other parts',
      'server/wire/a.ts',
      `import type { B } from '../pda/b/service.ts';`,
      'wire-stands-alone',
    ],
    [
      'platform imports only wire',
      'server/platform/a.ts',
      `import { b } from '../pda/b/service.ts';`,
      'platform-below-rooms',
    ],
    [
      'platform imports no types of rooms',
      'server/platform/a.ts',
      `import type { B } from '../pda/b/service.ts';`,
      'platform-below-rooms',
    ],
    [
      'storage imports no room',
      'server/pda/storage/a.ts',
      `import { b } from '../owner/store.ts';`,
      'storage-below-rooms',
    ],
    [
      'only stores open the database',
      'server/pda/data/a/service.ts',
      `import { b } from '../../storage/b.ts';`,
      'storage-behind-stores',
    ],
    [
      'routes do not load the store',
      'server/pda/data/a/routes.ts',
      `import { b } from './store.ts';`,
      'store-behind-service',
    ],
    [
      'rules do not load the store',
      'server/pda/data/a/rules.ts',
      `import { b } from './store.ts';`,
      'store-behind-service',
    ],
    ['rules do no I/O', 'server/pda/data/a/rules.ts', `import { readFile } from 'node:fs/promises';`, 'rules-are-pure'],
    [
      'rules do not load platform',
      'server/pda/data/a/rules.ts',
      `import { b } from '../../../platform/b.ts';`,
      'rules-are-pure',
    ],
    [
      'rules do not call their service',
      'server/pda/data/a/rules.ts',
      `import { b } from './service.ts';`,
      'rules-are-pure',
    ],
    [
      'rooms do not load rooms',
      'server/pda/data/a/service.ts',
      `import { b } from '../b/service.ts';`,
      'rooms-meet-in-pda',
    ],
    [
      'rooms do not re-export from other rooms',
      'server/pda/data/a/service.ts',
      `export { b } from '../b/service.ts';`,
      'rooms-meet-in-pda',
    ],
    [
      'rooms do not load rooms with a dynamic import',
      'server/pda/data/a/service.ts',
      `await import('../b/service.ts');`,
      'rooms-meet-in-pda',
    ],
    [
      'rooms do not load rooms for inline types',
      'server/pda/data/a/service.ts',
      `import { type B } from '../b/service.ts';`,
      'rooms-meet-in-pda',
    ],
    [
      'rooms import types only from index.ts and service.ts of other rooms',
      'server/pda/data/a/service.ts',
      `import type { B } from '../b/store.ts';`,
      'rooms-meet-in-pda',
    ],
    [
      'rooms import no values of queries',
      'server/pda/data/a/service.ts',
      `import { b } from '../queries/b.ts';`,
      'rooms-meet-in-pda',
    ],
    [
      'only composition roots connect rooms',
      'server/pda/config.ts',
      `import { b } from './data/b/service.ts';`,
      'rooms-meet-in-pda',
    ],
    [
      'the command line goes through pda.ts',
      'server/pda/cli/main.js',
      `import { b } from '../data/b/service.ts';`,
      'rooms-meet-in-pda',
    ],
    [
      'a room does not import the composition root',
      'server/pda/data/a/service.ts',
      `import { b } from '../../pda.ts';`,
      'direction',
    ],
    ['pda.ts does not import the command line', 'server/pda/pda.ts', `import { b } from './cli/main.js';`, 'direction'],
    [
      'servers do not load each other',
      'server/pda/data/a/service.ts',
      `import { b } from '../../../exchange/b/service.ts';`,
      'servers-meet-on-the-network',
    ],
    [
      'the server does not load the sandbox',
      'server/pda/data/a/service.ts',
      `import { b } from '../../../../functions-sandbox/b.ts';`,
      'direction',
    ],
    [
      'the sandbox loads no platform',
      'functions-sandbox/a.ts',
      `import { b } from '../server/platform/b.ts';`,
      'sandbox-stands-alone',
    ],
    [
      'the dashboard loads no server',
      'renderer/a.tsx',
      `import { b } from '../server/pda/data/b/routes.ts';`,
      'renderer-types-only',
    ],
    ['the shell loads no server', 'main/a.ts', `import { b } from '../server/pda/pda.ts';`, 'main-spawns-the-server'],
    [
      'only storage imports better-sqlite3',
      'server/pda/data/a/store.ts',
      `import D from 'better-sqlite3';`,
      'sqlite-only-in-storage',
    ],
    [
      'only storage imports types of better-sqlite3',
      'server/pda/data/a/store.ts',
      `import type D from 'better-sqlite3';`,
      'sqlite-only-in-storage',
    ],
    [
      'only storage imports a path into better-sqlite3',
      'server/pda/data/a/store.ts',
      `import D from '../../../../node_modules/better-sqlite3/lib/index.js';`,
      'sqlite-only-in-storage',
    ],
    [
      'isolated-vm stays in the sandbox',
      'server/pda/data/a/service.ts',
      `import v from 'isolated-vm';`,
      'isolated-vm-only-in-sandbox',
    ],
    ['Koa stays in platform/http', 'server/pda/data/a/routes.ts', `import Koa from 'koa';`, 'koa-only-in-http'],
    ['Electron stays in main', 'build/a.ts', `import type { App } from 'electron';`, 'electron-only-in-main'],
    ['Electron stays out of tests', 'tests/a.test.ts', `import { app } from 'electron';`, 'electron-only-in-main'],
    [
      'Electron stays out of rules files',
      'main/tray-rules.ts',
      `import type { Tray } from 'electron';`,
      'electron-only-in-main',
    ],
    [
      'Electron stays out of main/server',
      'main/server/process.ts',
      `import type { App } from 'electron';`,
      'electron-only-in-main',
    ],
    ['pg stays behind stores', 'server/exchange/a/service.ts', `import { Pool } from 'pg';`, 'postgres-behind-storage'],
    [
      'Kysely stays behind stores',
      'server/contracts/a/routes.ts',
      `import type { Kysely } from 'kysely';`,
      'postgres-behind-storage',
    ],
    [
      'PGlite stays behind stores',
      'server/pda/storage/a.ts',
      `import { PGlite } from '@electric-sql/pglite/live';`,
      'postgres-behind-storage',
    ],
    ['no JSONPath library', 'server/pda/storage/a.ts', `import p from 'jsonpath-plus';`, 'banned-packages'],
    ['no keytar, not even in tests', 'tests/a.test.ts', `import k from 'keytar';`, 'banned-packages'],
    ['no default exports', 'server/wire/a.ts', `export default 1;`, 'named-exports'],
    ['no computed imports', 'server/pda/data/a/service.ts', `await import(name);`, 'literal-imports'],
    [
      'a wing imports no higher wing',
      'server/pda/data/a/service.ts',
      `import type { B } from '../../account/b/service.ts';`,
      'wing-order',
    ],
    [
      'a wing imports no other wing of its level',
      'server/pda/files/a.ts',
      `import type { B } from '../functions/service.ts';`,
      'wing-order',
    ],
    ['core imports no room', 'server/pda/core/a.ts', `import { b } from '../data/b/rules.ts';`, 'wing-order'],
    ['every file belongs to an area', 'server/stray.ts', `const a = 1;`, 'belongs-to-an-area'],
    ['every file parses', 'server/wire/a.ts', `import {`, 'parses'],
  ])('reports a violation of the rule: %s', (_title, file, line, rule) => {
    const findings = findingsOfFile(file, line);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(new RegExp(`^${file.replaceAll('.', '\\.')}:[12] ${rule}$`));
  });

  it('reports a second file that imports isolated-vm', () => {
    expect(
      findingsOf({
        'functions-sandbox/a.ts': `import v from 'isolated-vm';`,
        'functions-sandbox/b.ts': `import v from 'isolated-vm';`,
      }),
    ).toEqual(['functions-sandbox/b.ts:1 isolated-vm-only-in-sandbox']);
  });

  it('reports a banned package in package.json', () => {
    expect(findingsOf({ 'package.json': `{\n "dependencies": {\n  "keytar": "7.9.0"\n }\n}` })).toEqual([
      'package.json:3 banned-packages',
    ]);
  });

  it('reports files above 500 lines as errors, and above 400 as warnings', () => {
    const lines = (count: number) => 'const a = 1;\n'.repeat(count);
    const { findings } = checkWalls(
      writeTree({
        'main/a.ts': lines(501),
        'main/b.ts': lines(401),
        'main/c.ts': lines(400),
        'main/d.test.ts': lines(501),
      }),
    );
    expect(findings.map(({ file, severity }) => `${file} ${severity}`)).toEqual([
      'main/a.ts error',
      'main/b.ts warning',
      'main/d.test.ts error',
    ]);
  });
});

describe('forward references in composition files', () => {
  const inCreate = (body: string, file = 'server/pda/pda.ts'): string[] =>
    findingsOf({ [file]: `export const createPda = (options) => {\n${body}\n};\n` });

  it.each([
    ['an arrow function', 'const a = createA({ b: () => b.find() });\nconst b = createB();'],
    ['a method', 'const a = createA({\n  find() { return b; } });\nconst b = createB();'],
    ['a function inside a try block', 'try { const a = () => b;\nconst b = 1; } catch {}'],
    ['a destructured variable', 'const a = () => b;\nconst { x: { b = 1 }, ...rest } = createB();'],
    ['a shorthand property', 'const a = () => ({ b });\nconst b = 1;'],
    ['a let', 'const a = () => b;\nlet b = 1;'],
    ['a function declaration', 'function a() { return b; }\nconst b = 1;'],
  ])('are reported in %s', (_case, body) => {
    const findings = inCreate(body);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(/^server\/pda\/pda\.ts:[23] no-forward-references$/);
  });

  it.each([
    ['the variable is declared first', 'const b = 1;\nconst a = () => b;'],
    ['the name is a parameter', 'const a = (b) => b;\nconst b = 1;'],
    ['the name is declared again inside', 'const a = () => { const b = 2; return b; };\nconst b = 1;'],
    ['the name is a property', 'const a = () => ({ b: options.b });\nconst b = 1;'],
    ['the name is a type', 'const a = (x: typeof b): b => x as b;\nconst b = 1;'],
    ['the function names itself', 'const a = () => a;'],
    ['a function declaration is hoisted', 'const a = () => b();\nfunction b() {}'],
  ])('are not reported when %s', (_case, body) => {
    expect(inCreate(body)).toEqual([]);
  });

  it('are reported in the index.ts of wings and rooms and in the composition of other servers', () => {
    const body = 'const a = () => b;\nconst b = 1;';
    expect(inCreate(body, 'server/pda/data/index.ts')).toHaveLength(1);
    expect(inCreate(body, 'server/pda/data/records/index.ts')).toHaveLength(1);
    expect(inCreate(body, 'server/exchange/exchange.ts')).toHaveLength(1);
    expect(inCreate(body, 'server/pda/data/records/service.ts')).toEqual([]);
  });

  it('are not reported at the top level of a module', () => {
    expect(findingsOf({ 'server/pda/pda.ts': 'const a = () => b;\nconst b = 1;\n' })).toEqual([]);
  });
});

describe('import cycles', () => {
  it('are reported once per group of files, as the shortest cycle through its first file', () => {
    const root = writeTree({
      'server/wire/a.ts': `import { z } from 'zod';\nimport { b } from './b.ts';`,
      'server/wire/b.ts': `import { c } from './c.ts';`,
      'server/wire/c.ts': `import { a } from './a.ts'; import { b } from './b.ts';`,
      'server/wire/d.ts': `import { a } from './a.ts';`,
    });
    expect(checkWalls(root).findings.map(({ file, line, rule, problem }) => [file, line, rule, problem])).toEqual([
      [
        'server/wire/a.ts',
        2,
        'no-import-cycles',
        'server/wire/a.ts -> server/wire/b.ts -> server/wire/c.ts -> server/wire/a.ts',
      ],
    ]);
  });

  it('are allowed if one import is type-only or all files are tests', () => {
    expect(
      findingsOf({
        'server/wire/a.ts': `import { b } from './b.ts';`,
        'server/wire/b.ts': `import type { A } from './a.ts';`,
        'server/wire/c.test-support.ts': `import { d } from './d.test-support.ts';`,
        'server/wire/d.test-support.ts': `import { c } from './c.test-support.ts';`,
      }),
    ).toEqual([]);
  });
});

describe('the folder of the account server', () => {
  const entries = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`server/pda/part-${index}.ts`, 'const a = 1;']));

  it('may have at most twelve entries, not counting tests', () => {
    const tests = { 'server/pda/part.test.ts': '', 'server/pda/part.test-support.ts': '' };
    expect(findingsOf({ ...entries(12), ...tests })).toEqual([]);
    expect(findingsOf({ ...entries(13), ...tests })).toEqual(['server/pda:1 max-folder-entries']);
  });
});

describe('ignored paths', () => {
  it('include node_modules and built files', () => {
    expect(
      findingsOf({
        'renderer/dist/a.ts': `export default 1;`,
        'server/node_modules/a/b.ts': `export default 1;`,
        'dist/a.ts': `export default 1;`,
      }),
    ).toEqual([]);
  });
});

describe('the walls command', () => {
  it('prints one line per finding with import and reason, and a total', () => {
    const root = writeTree({ 'server/pda/data/a/service.ts': `import { type B } from '../b/service.ts';\n` });
    const { files, findings } = checkWalls(root);
    expect(formatFindings(files, findings).split('\n')).toEqual([
      "server/pda/data/a/service.ts:1  rooms-meet-in-pda  import '../b/service.ts': take another room's service as an argument; `import type` of its" +
        ' index.ts and service.ts is allowed; write `import type { … }`: Node still loads the module for `import { type … }`',
      'walls: 1 files, 1 violations, 0 warnings',
    ]);
  });

  it('exits with 1 if there are violations and with 0 otherwise', () => {
    const run = (root: string): { code: unknown; out: string } => {
      try {
        return {
          code: 0,
          out: execFileSync(process.execPath, [join(import.meta.dirname, 'walls.ts'), root], { encoding: 'utf8' }),
        };
      } catch (cause) {
        return { code: cause instanceof Error && 'status' in cause ? cause.status : cause, out: '' };
      }
    };
    expect(run(writeTree({ 'server/wire/a.ts': `import { b } from '../platform/b.ts';` })).code).toBe(1);
    expect(run(writeTree({ 'server/wire/a.ts': 'const a = 1;\n'.repeat(15) }))).toEqual({
      code: 0,
      out: 'walls: 1 files, 0 violations, 0 warnings\n',
    });
  });
});
