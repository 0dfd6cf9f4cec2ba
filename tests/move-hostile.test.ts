import Sqlite from 'better-sqlite3';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../server/platform/log.ts';
import { replaceWithImport } from '../server/pda/account/transfer/import/activation.ts';
import { isIgnoredFile } from '../server/pda/files/folder/rules.ts';
import { exportAccount } from '../server/pda/account/transfer/export/writer.ts';
import { importArchive, inspectArchive } from '../server/pda/account/transfer/import/importer.ts';
import { transferPaths } from '../server/pda/account/transfer/format/paths.ts';
import { TransferError } from '../server/pda/account/transfer/format/error.ts';
import { createPda } from '../server/pda/pda.ts';
import { transferTools } from '../server/pda/account/transfer/worker/tools.ts';
import { NODE, ROOT } from './support/paths.ts';
import type { KilledTransferStep } from './support/killed-transfer.ts';
import { newArchivePath, writeArchive, updateManifest, readArchive } from './support/move.ts';
import { OWNER } from './support/test-pda.ts';
import { newFolder, newHome, removeFolders, until } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests malicious archives, and imports killed midway. Every import is all or nothing.

/** Small numbers, because each archive is read completely, and some archives are read twice. */
const FILE_COUNT = 8;
const RECORD_COUNT = 60;
const OWNER_ORIGIN = { kind: 'owner', name: 'owner' } as const;

let sourceHome: string;
let emptyHome: string;
let archive: string;
let files: Map<string, Buffer>;

const makeArchive = async (home: string, path: string): Promise<void> => {
  const chunks: Buffer[] = [];
  await exportAccount({
    home,
    snapshotPath: join(home, 'backups/export-test.sqlite'),
    program: '0.0.0',
    now: Date.now(),
    codecs: transferTools.codecs,
    write: (chunk) => {
      chunks.push(chunk);
      return Promise.resolve();
    },
    onProgress: () => undefined,
  });
  writeFileSync(path, Buffer.concat(chunks));
};

beforeAll(async () => {
  [sourceHome, emptyHome] = [await newHome(), join(newFolder(), 'empty')];
  const pda = await createPda({ home: sourceHome, log: silentLog() });
  // Creates a new account with new keys.
  const otherPda = await createPda({ home: emptyHome, log: silentLog() });
  await otherPda.owner.init(OWNER.name, OWNER.password);
  await otherPda.close();
  await pda.records.create(
    Array.from({ length: RECORD_COUNT }, (_, steps) => ({ endpoint: 'fit/steps', data: JSON.stringify({ steps }) })),
    OWNER_ORIGIN,
  );
  mkdirSync(join(sourceHome, 'files/deep/down'), { recursive: true });
  for (let index = 0; index < FILE_COUNT; index += 1)
    writeFileSync(join(sourceHome, 'files/deep/down', `file ${index} ü.bin`), randomBytes(2000));
  const from = { address: '127.0.0.1', host: 'localhost', local: true, userAgent: 'test' };
  await pda.owner.signIn(OWNER.name, OWNER.password, from);
  await pda.listen(0);
  await until(() => countRows(sourceHome, 'files') === FILE_COUNT, 'all files are registered');
  await pda.close();
  archive = join(newFolder(), 'a.zip');
  await makeArchive(sourceHome, archive);
  files = await readArchive(archive);
});
afterAll(removeFolders);

const checkArchive = (path: string) =>
  inspectArchive(path, { home: emptyHome, codecs: transferTools.codecs, onProgress: () => undefined });
const importInto = (home: string, path: string) =>
  importArchive(path, { ...transferTools, home, now: Date.now(), onProgress: () => undefined });

type Attempt = (path: string) => Promise<unknown>;

const CHECK_AND_IMPORT: readonly Attempt[] = [(path) => checkArchive(path), (path) => importInto(emptyHome, path)];
/** A check and an import share their reader, so only the first variant of a fault is also tested with an import. */
const attemptsFor = (variant: number): readonly Attempt[] => CHECK_AND_IMPORT.slice(0, variant === 0 ? 2 : 1);

/** Expects that each attempt refuses the archive and leaves no files. @returns the messages */
const expectRefused = async (path: string, attempts = CHECK_AND_IMPORT): Promise<string> => {
  const messages: string[] = [];
  for (const attempt of attempts) {
    const error: unknown = await attempt(path).then(
      () => undefined,
      (problem: unknown) => problem,
    );
    if (!(error instanceof TransferError)) throw new Error('the archive was not refused', { cause: error });
    messages.push(error.message);
  }
  expect(existsSync(transferPaths(emptyHome).completeImport)).toBe(false);
  expect(readdirSync(transferPaths(emptyHome).folder)).not.toContain('making');
  return messages.join('\n');
};

/** Builds an archive with changed files and a matching manifest. */
const buildChangedArchive = (changes: Record<string, (text: string) => string>): Promise<string> => {
  const changedFiles = new Map(files);
  for (const [name, change] of Object.entries(changes))
    changedFiles.set(name, Buffer.from(change(changedFiles.get(name)?.toString() ?? '')));
  return writeArchive(updateManifest(changedFiles), newArchivePath(newFolder()));
};
const changeLine = (number: number, change: (line: Record<string, unknown>) => void) => (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line, index) => {
      if (index !== number) return `${line}\n`;
      const value = JSON.parse(line) as Record<string, unknown>;
      change(value);
      return `${JSON.stringify(value)}\n`;
    })
    .join('');

describe('an archive', () => {
  it('is accepted if intact', async () => {
    const summary = await checkArchive(archive);
    expect(summary.counts).toMatchObject({ records: RECORD_COUNT, files: FILE_COUNT });
  });

  it('is refused as damaged or incomplete if truncated', async () => {
    for (const fraction of [0, 0.3, 0.99]) {
      const truncatedPath = newArchivePath(newFolder());
      cpSync(archive, truncatedPath);
      truncateSync(truncatedPath, Math.floor(statSync(archive).size * fraction));
      expect(await expectRefused(truncatedPath)).toContain('it is damaged or incomplete');
    }
  });

  it('is refused if one byte was changed', async () => {
    const content = readFileSync(archive);
    const [, file = Buffer.alloc(0)] = [...files].find(([name]) => name.endsWith('.bin')) ?? [];
    const fileOffset = content.indexOf(file.subarray(500, 600));
    expect(fileOffset).toBeGreaterThan(0);
    // Changes a byte at the start, within a file, and in the central directory.
    for (const offset of [200, fileOffset, content.lastIndexOf('records.ndjson') + 3]) {
      const modifiedContent = Buffer.from(content);
      modifiedContent[offset] = (modifiedContent[offset] ?? 0) ^ 0x41;
      const path = newArchivePath(newFolder());
      writeFileSync(path, modifiedContent);
      expect(await expectRefused(path)).toContain('Nothing was imported');
    }
  });

  it('is refused if it contradicts its manifest', async () => {
    const withChangedRecord = new Map(files);
    withChangedRecord.set(
      'records.ndjson',
      Buffer.from((files.get('records.ndjson')?.toString() ?? '').replace('"steps":7', '"steps":8')),
    );
    expect(await expectRefused(await writeArchive(withChangedRecord, newArchivePath(newFolder())))).toContain(
      'records.ndjson was modified after the export',
    );
    const withoutEndpoints = new Map(files);
    withoutEndpoints.delete('endpoints.ndjson');
    expect(await expectRefused(await writeArchive(withoutEndpoints, newArchivePath(newFolder())))).toContain(
      'endpoints.ndjson is missing',
    );
    const withExtraFile = new Map([...files, ['run-me.sh', Buffer.from('echo')] as const]);
    expect(await expectRefused(await writeArchive(withExtraFile, newArchivePath(newFolder())))).toContain(
      'it contains run-me.sh',
    );
  });

  it('is refused with the reason if it is from a newer version', async () => {
    const path = await buildChangedArchive({ 'manifest.json': (text) => text.replace('"version": 1', '"version": 2') });
    expect(await expectRefused(path)).toContain('newer version');
  });

  it.skipIf(!IS_THOROUGH_RUN)('is refused if it contains lines that no PDA writes', async () => {
    const fileChanges: [string, (text: string) => string][] = [
      ['records.ndjson', (text) => `${text}not JSON\n`],
      ['keys.ndjson', changeLine(0, (line) => Object.assign(line, { created: 9e15 }))],
      ['records.ndjson', changeLine(3, (line) => delete line['endpoint'])],
      ['records.ndjson', changeLine(3, (line) => Object.assign(line, { more: 1 }))],
      ['records.ndjson', changeLine(3, (line) => Object.assign(line, { id: 'not-an-id' }))],
      ['records.ndjson', changeLine(3, (line) => Object.assign(line, { endpoint: 'not/there' }))],
      ['records.ndjson', (text) => text + (text.split('\n')[0] ?? '') + '\n'],
      ['records.ndjson', (text) => text.replace('"data":{"steps":3}', '"data":{"a":1,"a":2}')],
      ['records.ndjson', (text) => text.replace('"data":{"steps":3}', `"data":${'['.repeat(200)}${']'.repeat(200)}`)],
      [
        'access.ndjson',
        changeLine(0, (line) =>
          Object.assign(line, {
            places: [
              [5, 9],
              [2, 3],
            ],
          }),
        ),
      ],
    ];
    for (const [index, [name, change]] of fileChanges.entries())
      expect(await expectRefused(await buildChangedArchive({ [name]: change }), attemptsFor(index))).toContain(
        'This archive cannot be imported',
      );
  });

  it('with dangling references is refused by the import', async () => {
    const path = await buildChangedArchive({
      'records.ndjson': changeLine(3, (line) => Object.assign(line, { origin: 99 })),
    });
    expect(await expectRefused(path, [(archivePath) => importInto(emptyHome, archivePath)])).toContain(
      'refers to a row that is missing',
    );
  });

  it('is refused by the import with a message if two files have the same path', async () => {
    const path = await buildChangedArchive({
      'files.ndjson': changeLine(1, (line) => Object.assign(line, { path: 'deep/down/file 0 ü.bin' })),
    });
    expect(await expectRefused(path, [(archivePath) => importInto(emptyHome, archivePath)])).toContain(
      'have the same path',
    );
  });

  it('cannot claim that the import is already activated, and its port setting is not imported', async () => {
    const changedFiles = new Map(files);
    const add = (name: string, line: object): void => {
      changedFiles.set(`${name}.ndjson`, Buffer.from(`${JSON.stringify(line)}\n`));
      const manifest = JSON.parse(changedFiles.get('manifest.json')?.toString() ?? '') as { parts: object[] };
      manifest.parts.push({ part: name, file: `${name}.ndjson`, lines: 0, bytes: 0, sha256: '' });
      changedFiles.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
    };
    const time = '2126-01-01T00:00:00.000Z';
    const move = { id: 'a', name: 'eve', program: '1', exported: time, arrived: time, settled: time, madeDark: false };
    add('moves', { ...move, counts: {} });
    add('settings', { key: 'port', value: 'nowhere' });
    const home = copyOf(emptyHome);
    await importInto(home, await writeArchive(updateManifest(changedFiles), newArchivePath(newFolder())));
    const pda = await createPda({ home, log: silentLog() });
    const { arrived } = pda.move.view();
    await pda.close();
    expect(arrived).toMatchObject({ name: OWNER.name, settled: null });
    const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
    expect(db.prepare("SELECT value FROM settings WHERE key = 'port'").pluck().all()).not.toContain('nowhere');
    db.close();
  });

  it.skipIf(!IS_THOROUGH_RUN)('is refused if its names contain path traversal', async () => {
    for (const [index, name] of ['../evil', 'files/../../evil', '/etc/evil', 'files\\evil', 'C:evil'].entries()) {
      const evilArchive = await writeArchive([...files, [name, Buffer.from('x')]], newArchivePath(newFolder()));
      expect(await expectRefused(evilArchive, attemptsFor(index))).toContain('is not a plain relative path');
    }
    for (const [index, path] of ['../../evil', 'a/../b', '/etc/passwd', ''].entries()) {
      const evilArchive = await buildChangedArchive({
        'files.ndjson': changeLine(0, (line) => Object.assign(line, { path })),
      });
      expect(await expectRefused(evilArchive, attemptsFor(index))).toContain('the path of a file is invalid');
    }
  });

  it('is refused if a name is duplicated, or if two file records share their content', async () => {
    expect(
      await expectRefused(
        await writeArchive([...files, ['Records.ndjson', Buffer.from('x')]], newArchivePath(newFolder())),
      ),
    ).toContain('twice');
    const firstFile = JSON.parse((files.get('files.ndjson')?.toString() ?? '').split('\n')[0] ?? '') as {
      content: unknown;
    };
    const sharedContent = await buildChangedArchive({
      'files.ndjson': changeLine(1, (line) => Object.assign(line, { content: firstFile.content })),
    });
    expect(await expectRefused(sharedContent)).toContain('is used twice');
  });

  it('is refused if it contains a decompression bomb or a link, states a wrong number of entries, or has no manifest', async () => {
    const archiveWithExtraFile = readFileSync(
      await writeArchive([...files, ['extra', Buffer.alloc(1000)]], newArchivePath(newFolder())),
    );
    const offset = archiveWithExtraFile.lastIndexOf('extra') - 46;
    const path = newArchivePath(newFolder());
    const bombArchive = Buffer.from(archiveWithExtraFile);
    bombArchive.writeUInt32LE(0xffff_fff0, offset + 24);
    writeFileSync(path, bombArchive);
    expect(await expectRefused(path)).toMatch(/claims an impossible size|its unpacked content is larger/u);
    const linkedArchive = Buffer.from(archiveWithExtraFile);
    linkedArchive.writeUInt32LE((0o120_777 << 16) >>> 0, offset + 38);
    writeFileSync(path, linkedArchive);
    expect(await expectRefused(path)).toContain('link');
    const overcountedArchive = Buffer.from(archiveWithExtraFile);
    overcountedArchive.writeUInt16LE(0xfffe, overcountedArchive.length - 12);
    overcountedArchive.writeUInt16LE(0xfffe, overcountedArchive.length - 14);
    writeFileSync(path, overcountedArchive);
    expect(await expectRefused(path)).toContain('damaged');
    expect(await expectRefused(await writeArchive([['hello.txt', Buffer.from('x')]], path))).toContain(
      'not an archive of a PDA',
    );
  });
});

/**
 * Runs a step in a process that kills itself at its `killAt`-th change to the disk, or not at all if `killAt` is 0.
 * @returns the number of changes, or undefined if the process was killed
 */
const runKilled = (step: KilledTransferStep, killAt: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    execFile(
      NODE,
      [join(ROOT, 'tests/support/killed-transfer.ts'), JSON.stringify(step), String(killAt)],
      (error, stdout, stderr) => {
        if (error === null) resolve(Number(stdout));
        else if (error.signal === 'SIGKILL') resolve(undefined);
        else reject(new Error(stderr));
      },
    );
  });

const KILL_POINTS = 60;
const killPointsIn = (changeCount: number): number[] => [
  ...new Set(
    Array.from({ length: KILL_POINTS }, (_, index) =>
      Math.max(1, Math.round(((index + 1) * changeCount) / KILL_POINTS)),
    ),
  ),
];
const copyOf = (home: string): string => {
  const copy = join(newFolder(), 'home');
  cpSync(home, copy, { recursive: true, preserveTimestamps: true });
  return copy;
};

const countRows = (home: string, table: string): number => {
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
  try {
    return db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  } finally {
    db.close();
  }
};

/** Starts a PDA with the home, and returns the content of the account. */
const contentOf = async (home: string): Promise<{ records: number; files: number; arrived: boolean }> => {
  const pda = await createPda({ home, log: silentLog() });
  const { arrived } = pda.move.view();
  const folder = join(home, 'files/deep/down');
  const files = existsSync(folder) ? readdirSync(folder).length : 0;
  const records = countRows(home, 'records');
  await pda.close();
  return { records, files, arrived: arrived !== null };
};
const EMPTY_CONTENT = { records: 0, files: 0, arrived: false };
const IMPORTED_CONTENT = { records: RECORD_COUNT, files: FILE_COUNT, arrived: true };

describe('an import that is killed midway', () => {
  it.skipIf(!IS_THOROUGH_RUN)('has changed nothing and can be repeated', async () => {
    const changeCount = (await runKilled({ op: 'import', home: copyOf(emptyHome), archive }, 0)) ?? 0;
    expect(changeCount).toBeGreaterThan(FILE_COUNT);
    const home = copyOf(emptyHome);
    for (const killAt of killPointsIn(changeCount - 4)) {
      expect(await runKilled({ op: 'import', home, archive }, killAt)).toBeUndefined();
      expect(existsSync(transferPaths(home).completeImport)).toBe(false);
    }
    const { folder } = transferPaths(home);
    writeFileSync(join(folder, 'export-abc.sqlite'), 'the copy of an export that was cut off');
    expect(readdirSync(folder)).toContain('making');
    expect(await contentOf(home)).toStrictEqual(EMPTY_CONTENT);
    // Unfinished work is removed.
    expect(readdirSync(folder)).toStrictEqual([]);
    await importInto(home, archive);
    expect(await contentOf(home)).toStrictEqual(IMPORTED_CONTENT);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is completed by the next start if its data was complete', async () => {
    const homeWithImport = copyOf(emptyHome);
    await importInto(homeWithImport, archive);
    const changeCount = (await runKilled({ op: 'activate', home: copyOf(homeWithImport) }, 0)) ?? 0;
    expect(changeCount).toBeGreaterThan(5);
    const testKillAt = async (killAt: number): Promise<void> => {
      const home = copyOf(homeWithImport);
      expect(await runKilled({ op: 'activate', home }, killAt)).toBeUndefined();
      expect(await contentOf(home)).toStrictEqual(IMPORTED_CONTENT);
      expect(existsSync(transferPaths(home).activatingImport)).toBe(false);
    };
    // Tests three points at a time.
    const points = killPointsIn(changeCount);
    while (points.length > 0) await Promise.all(points.splice(0, 3).map(testKillAt));
  });
});

it('an import replaces an account whose files folder contains only files of the operating system', async () => {
  const home = copyOf(emptyHome);
  for (const name of ['.DS_Store', 'desktop.ini']) writeFileSync(join(home, 'files', name), '');
  await importInto(home, archive);
  expect(await contentOf(home)).toStrictEqual(IMPORTED_CONTENT);
});

it.skipIf(!IS_THOROUGH_RUN)('an import does not replace an account that has been used in the meantime', async () => {
  const home = copyOf(emptyHome);
  await importInto(home, archive);
  const { completeImport: importFolder } = transferPaths(home);
  // Simulates an import that completes while the account is in use.
  renameSync(importFolder, `${importFolder}-later`);
  const usedPda = await createPda({ home, log: silentLog() });
  await usedPda.records.create([{ endpoint: 'fit/steps', data: '{"mine":1}' }], OWNER_ORIGIN);
  await usedPda.close();
  renameSync(`${importFolder}-later`, importFolder);
  expect(replaceWithImport(home, { now: Date.now(), isIgnoredFile })).toBe(false);
  expect(existsSync(importFolder)).toBe(false);
  const pda = await createPda({ home, log: silentLog() });
  const { arrived, problem } = pda.move.view();
  await pda.close();
  expect([countRows(home, 'records'), arrived, problem]).toStrictEqual([
    1,
    null,
    expect.stringContaining('This account is not empty'),
  ]);
});
