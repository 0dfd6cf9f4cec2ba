import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './support/paths.ts';

// Traces system calls to check that files and folders are synced before an operation reports success.

const folders: string[] = [];
const newFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pda-synced-')));
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const skipReason = ((): string | undefined => {
  try {
    execFileSync('strace', ['-f', '-qq', '--seccomp-bpf', '-e', 'trace=none', 'true'], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'requires strace and the permission to trace';
  }
})();

/**
 * Runs a module under strace. The module calls `done()` where the server would respond or record the operation.
 * @returns the system calls before `done()`, in order: `sync PATH` and, for renames and links, `name PATH`, with paths
 * relative to the folder
 */
const traceSyncs = (folder: string, imports: string, code: string): string[] => {
  const script = join(folder, 'run.mjs');
  const traceFile = join(folder, 'trace');
  writeFileSync(
    script,
    `import { accessSync } from 'node:fs';\n${imports.replaceAll('ROOT', ROOT)}\n
    const folder = ${JSON.stringify(folder)};
    // The file does not exist: the failed call marks the response in the trace.
    const done = () => { try { accessSync(folder + '/responded'); } catch {} };
    ${code}`,
  );
  const { status, stderr } = spawnSync(
    'strace',
    [
      '-f',
      '-y',
      '-qq',
      '--seccomp-bpf',
      '-o',
      traceFile,
      '-e',
      'trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat,access,faccessat,faccessat2',
      process.execPath,
      script,
    ],
    { encoding: 'utf8', cwd: ROOT },
  );
  expect([status, stderr]).toStrictEqual([0, expect.anything()]);
  const operations = readFileSync(traceFile, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.includes(`${folder}/responded`)) return ['responded'];
      const [, syncedPath] = /f(?:data)?sync\(\d+<([^>]+)>/u.exec(line) ?? [];
      if (syncedPath !== undefined)
        return [`sync ${syncedPath.replace(folder, '').replace(/\.[0-9a-f]{8}\.begun$/u, '.begun')}`];
      if (!/\s(?:rename|link)/u.test(line)) return [];
      const name = [...line.matchAll(/"([^"]+)"/gu)].at(-1)?.[1] ?? '';
      return name.startsWith(folder) ? [`name ${name.replace(folder, '')}`] : [];
    });
  const responseIndex = operations.indexOf('responded');
  expect(responseIndex).not.toBe(-1);
  return operations.slice(0, responseIndex);
};

/** Expects the calls in this order; others may occur between them. */
const expectInOrder = (calls: readonly string[], ...expected: string[]): void => {
  let searchStart = 0;
  const matchedCalls = expected.filter((call) => {
    const index = calls.indexOf(call, searchStart);
    if (index !== -1) searchStart = index + 1;
    return index !== -1;
  });
  expect([calls, matchedCalls]).toStrictEqual([calls, expected]);
};

describe.skipIf(skipReason !== undefined)(
  `an operation syncs${skipReason === undefined ? '' : ` (skipped: ${skipReason})`}`,
  () => {
    it.each([
      ['in one request', '1.in', 'receiveWhole(row, { stream, bytes: 7 }, () => undefined)'],
      ['in chunks', '1.part', 'receiveChunk(row, { offset: 0, size: 7 }, stream)'],
    ])('the content and the name of an uploaded file before the database records it: %s', (_, name, upload) => {
      const folder = newFolder();
      const calls = traceSyncs(
        folder,
        `import { Readable } from 'node:stream';
       import { createQuota } from 'ROOT/server/pda/files/disk/quota.ts';
       import { createUploads } from 'ROOT/server/pda/files/disk/upload-staging.ts';`,
        `const row = { seq: 1, name: 'a.txt', uploader: 'owner', application: null, status: 'New', size: null };
       const uploads = createUploads({
         store: { findBySeq: () => row },
         writer: { write: async () => done() },
         quota: createQuota({ usage: () => [], folder, total: null, perApplication: 0 }),
         folder,
         notify: () => undefined,
       });
       const stream = Readable.from([Buffer.from('content')]);
       await uploads.${upload};`,
      );
      expectInOrder(calls, `sync /${name}`, 'name /1', 'sync ');
    });

    it('the target folder of a moved file before the response to the move', () => {
      const folder = newFolder();
      const calls = traceSyncs(
        folder,
        `import { writeFileSync } from 'node:fs';
       import { moveIntoPlace } from 'ROOT/server/pda/files/content/operations.ts';`,
        `writeFileSync(folder + '/from', 'x');
       await moveIntoPlace(folder, folder + '/from', 'letters/a.txt');
       done();`,
      );
      expectInOrder(calls, 'name /letters/a.txt', 'sync /letters');
    });

    it('a backup file before it is renamed into place, and its folder afterwards', () => {
      const folder = newFolder();
      const calls = traceSyncs(
        folder,
        `import { writeFileAtomically } from 'ROOT/server/pda/account/backup/format/atomic-file.ts';`,
        `writeFileAtomically(folder + '/pack', Buffer.from('x')); done();`,
      );
      expectInOrder(calls, 'sync /pack.begun', 'name /pack', 'sync ');
    });

    it('the copy of a database before it is renamed into place, and its folder afterwards', () => {
      const folder = newFolder();
      const calls = traceSyncs(
        folder,
        `import Sqlite from 'ROOT/node_modules/better-sqlite3/lib/index.js';
       import { copyDatabase } from 'ROOT/server/pda/storage/database.ts';`,
        `const db = new Sqlite(folder + '/a.sqlite');
       db.exec('CREATE TABLE a (b)');
       db.close();
       copyDatabase(folder + '/a.sqlite', folder + '/copy.sqlite');
       done();`,
      );
      expectInOrder(calls, 'sync /copy.sqlite.new', 'name /copy.sqlite', 'sync ');
    });

    it('a used claim of the relay before the response to the claim', () => {
      const folder = newFolder();
      const calls = traceSyncs(
        folder,
        `import { openReplayGuard } from 'ROOT/server/relay/names/replay-guard.ts';`,
        `const log = { info() {}, warn() {}, error() {}, debug() {} };
       const replayGuard = await openReplayGuard({ home: folder, maxClaims: 100, clock: Date, log });
       await replayGuard.use('x'.repeat(43), Math.floor(Date.now() / 1000) + 60);
       done();`,
      );
      // The file is synced once when it is created at the start, and once for the claim.
      expectInOrder(calls, 'sync /used-claims.new', 'name /used-claims', 'sync ', 'sync /used-claims');
    });
  },
);
