import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createArchive, openArchive } from '../server/pda/account/backup/format/archive.ts';
import { parseLists, serializeManifest } from '../server/pda/account/backup/format/manifest-rules.ts';
import { SCHEMA_VERSION } from '../server/pda/account/backup/home/store.ts';
import { readManifest } from '../server/pda/account/backup/operations/backup.ts';
import { findArchive, findBackup } from '../server/pda/account/backup/operations/restore.ts';
import { paddedSize } from '../server/pda/account/backup/format/encryption.ts';
import {
  backUp,
  restoreBackup,
  bytesBelow,
  verify,
  copyOf,
  filesBelow,
  newArchive,
  PASSPHRASE,
  writeHomeFile,
  pruneArchive,
  type TestArchive,
} from './support/backups.ts';
import { newFolder, newHome, removeFolders } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

/** Number of evenly spaced positions per file at which a bit is flipped; `npm run test:long` uses more. */
const FLIPS_PER_FILE = Number(process.env['PDA_FLIPS'] ?? 3);

let home: string;
beforeAll(async () => {
  home = await newHome();
  const db = new Sqlite(join(home, 'pda.sqlite'));
  const add = db.prepare('INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (?, ?, 1, 1, ?, ?)');
  db.transaction(() => {
    for (let seq = 1; seq <= 1000; seq += 1)
      add.run(seq, `id-${seq}`, seq, JSON.stringify({ seq, text: randomBytes(60).toString('hex') }));
  })();
  db.close();
  writeHomeFile(home, 'files/a/b/letter.txt', 'Dear all');
  writeHomeFile(home, 'files/empty.txt', '');
  writeHomeFile(home, 'files/ünïcode ✓.bin', randomBytes(300_000));
  writeHomeFile(home, 'files/twice.bin', readFileSync(join(home, 'files/ünïcode ✓.bin')));
  writeHomeFile(home, 'functions/one/index.js', 'export {}');
  writeHomeFile(home, 'certificates/key.pem', 'a key');
  writeHomeFile(home, 'config.json', '{}');
  for (const name of filesBelow(join(home, 'files'))) utimesSync(join(home, 'files', name), 1.7e9, 1.7e9);
});
afterAll(removeFolders);

const hasNoProblems = (verification: { problems: string[] }): boolean => verification.problems.length === 0;

describe('a backup', () => {
  it('is restored with the content and time of every file', async () => {
    const { archive } = await newArchive();
    const backup = await backUp(archive, home);
    const restoredHome = await restoreBackup(archive, backup);
    const backedUpPaths = (folder: string) =>
      filesBelow(folder).filter((name) => !/^(?:pda\.sqlite|lock|running|backups)/u.test(name));
    expect(backedUpPaths(restoredHome)).toStrictEqual(backedUpPaths(home));
    for (const name of backedUpPaths(home)) {
      expect(readFileSync(join(restoredHome, name)).equals(readFileSync(join(home, name))), name).toBe(true);
      expect(statSync(join(restoredHome, name)).mtimeMs, name).toBeCloseTo(statSync(join(home, name)).mtimeMs, 1);
    }
    const readRows = (folder: string) => {
      const db = new Sqlite(join(folder, 'pda.sqlite'), { readonly: true });
      const allRows = db.prepare('SELECT * FROM records ORDER BY seq').all();
      db.close();
      return allRows;
    };
    expect(readRows(restoredHome)).toStrictEqual(readRows(home));
    expect(statSync(restoredHome).mode & 0o777).toBe(0o700);
    expect(statSync(join(restoredHome, 'pda.sqlite')).mode & 0o777).toBe(0o600);
  });

  it('of unchanged content has the same hash in every archive, and adds nothing to the same archive', async () => {
    const firstArchive = await newArchive();
    const firstBackup = await backUp(firstArchive.archive, home);
    const packs = firstArchive.archive.listNames('pack');
    const secondBackup = await backUp(firstArchive.archive, home);
    expect(secondBackup.manifest.hash).toBe(firstBackup.manifest.hash);
    expect(secondBackup.manifest.added).toBe(0);
    expect(firstArchive.archive.listNames('pack')).toStrictEqual(packs);
    const otherArchive = await newArchive(newFolder(), { hasOwnKey: true });
    expect((await backUp(otherArchive.archive, home)).manifest.hash).toBe(firstBackup.manifest.hash);
  });

  it('adds little after a small change', async () => {
    const copy = copyOf(home);
    const { archive } = await newArchive();
    const firstBackup = await backUp(archive, copy);
    const db = new Sqlite(join(copy, 'pda.sqlite'));
    db.prepare(
      "INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (99999, 'x', 1, 1, 1, '{}')",
    ).run();
    db.close();
    const secondBackup = await backUp(archive, copy);
    expect(secondBackup.manifest.hash).not.toBe(firstBackup.manifest.hash);
    expect(secondBackup.manifest.added).toBeLessThan(300_000);
    expect(secondBackup.manifest.added).toBeGreaterThan(0);
  });

  it('detects changed content with an unchanged size and time', async () => {
    const copy = copyOf(home);
    const { archive } = await newArchive();
    const firstBackup = await backUp(archive, copy);
    writeFileSync(join(copy, 'files/a/b/letter.txt'), 'Dear one');
    utimesSync(join(copy, 'files/a/b/letter.txt'), 1.7e9, 1.7e9);
    const secondBackup = await backUp(archive, copy);
    expect(secondBackup.manifest.hash).not.toBe(firstBackup.manifest.hash);
    expect(readFileSync(join(await restoreBackup(archive, secondBackup), 'files/a/b/letter.txt'), 'utf8')).toBe(
      'Dear one',
    );
    expect(readFileSync(join(await restoreBackup(archive, firstBackup), 'files/a/b/letter.txt'), 'utf8')).toBe(
      'Dear all',
    );
  });

  it('skips symbolic links and counts them', async () => {
    const copy = copyOf(home);
    symlinkSync('/etc/passwd', join(copy, 'files/passwd'));
    symlinkSync('/etc', join(copy, 'files/etc'));
    const { archive } = await newArchive();
    const backup = await backUp(archive, copy);
    expect(backup.manifest.leftOut).toBe(2);
    const restoredHome = await restoreBackup(archive, backup);
    expect(readdirSync(join(restoredHome, 'files')).toSorted()).toStrictEqual(
      readdirSync(join(home, 'files')).toSorted(),
    );
  });

  it('does not reveal content, names or the number of files', async () => {
    const smallHome = copyOf(home);
    const largeHome = copyOf(home);
    for (let index = 0; index < 60; index += 1)
      writeHomeFile(largeHome, `files/secretname/${index}.txt`, `secretword ${index}`);
    const packCounts: number[] = [];
    for (const source of [smallHome, largeHome]) {
      const { archive } = await newArchive();
      await backUp(archive, source);
      for (const name of filesBelow(archive.folder)) {
        const content = readFileSync(join(archive.folder, name));
        // The words have at least six bytes, because shorter ones occur in random bytes by chance.
        for (const word of ['secret', 'letter', 'SQLite', 'config.json', 'id-100', 'Dear all'])
          if (name !== 'key' && name !== 'key-copy') expect(content.includes(word), `${word} in ${name}`).toBe(false);
      }
      packCounts.push(archive.listNames('pack').length);
    }
    expect(packCounts[0]).toBe(packCounts[1]);
    expect(paddedSize(1_000_001)).toBe(paddedSize(1_010_000));
    expect(paddedSize(1_000_000) / 1_000_000).toBeLessThan(1.12);
  });
});

describe('verification', () => {
  let testArchive: TestArchive;
  beforeAll(async () => {
    const sourceHome = await newHome(join(newFolder(), 'home'));
    writeHomeFile(sourceHome, 'files/letter.txt', 'Dear all');
    testArchive = await newArchive();
    await backUp(testArchive.archive, sourceHome);
    writeHomeFile(sourceHome, 'files/more.bin', randomBytes(50_000));
    await backUp(testArchive.archive, sourceHome);
  });

  const files = (): string[] => filesBelow(testArchive.archive.folder);

  it('finds no damage in an intact archive', async () => {
    const result = await verify(testArchive.reopen());
    expect(result.problems).toStrictEqual([]);
    expect([result.backups, result.packs]).toStrictEqual([2, 2]);
    expect(files()).toHaveLength(2 + 2 + 2 + 2);
  });

  it('detects a flipped bit at many positions of every file', async () => {
    let flips = 0;
    for (const [index, name] of files().entries()) {
      const file = join(testArchive.archive.folder, name);
      const content = readFileSync(file);
      // In encrypted files: offsets in the signature, format version, salt, ciphertext and authentication tag.
      const boundaryOffsets = [0, 4, 5, 7, 8, 39, 40, 41, content.length - 17, content.length - 16, content.length - 1];
      // Files come in pairs of the same kind, so every other one is tested at the boundaries.
      const offsets = new Set(index % 2 === 0 || FLIPS_PER_FILE > 10 ? boundaryOffsets : []);
      const step = Math.max(1, Math.floor(content.length / FLIPS_PER_FILE));
      for (let offset = 0; offset < content.length; offset += step) offsets.add(offset);
      for (const offset of offsets) {
        const modifiedContent = Buffer.from(content);
        modifiedContent[offset] = (modifiedContent[offset] ?? 0) ^ (1 << (offset % 8));
        writeFileSync(file, modifiedContent);
        expect(hasNoProblems(await verify(testArchive.reopen())), `${name} at ${offset}`).toBe(false);
        flips += 1;
      }
      writeFileSync(file, content);
    }
    expect(flips).toBeGreaterThan(files().length * (5 + FLIPS_PER_FILE / 2));
    expect(hasNoProblems(await verify(testArchive.reopen()))).toBe(true);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'detects every file that was truncated or extended, and every removed one except an index',
    async () => {
      for (const name of files()) {
        const file = join(testArchive.archive.folder, name);
        const content = readFileSync(file);
        for (const length of [0, 55, content.length - 1]) {
          truncateSync(file, length);
          expect(hasNoProblems(await verify(testArchive.reopen())), `${name} cut to ${length}`).toBe(false);
          writeFileSync(file, content);
        }
        writeFileSync(file, Buffer.concat([content, Buffer.from([0])]));
        expect(hasNoProblems(await verify(testArchive.reopen())), `${name} with an extra byte`).toBe(false);
        rmSync(file);
        // Packs list their own content, so losing one of two indexes loses no data.
        expect(hasNoProblems(await verify(testArchive.reopen())), `${name} removed`).toBe(name.startsWith('index/'));
        writeFileSync(file, content);
      }
    },
  );

  it('detects files that were swapped or come from another archive', async () => {
    const otherArchive = await newArchive(newFolder(), { hasOwnKey: true });
    await backUp(otherArchive.archive, home);
    await backUp(otherArchive.archive, home);
    for (const kind of ['packs', 'backups', 'index'] as const) {
      const folder = join(testArchive.archive.folder, kind);
      const [firstName = '', secondName = ''] = readdirSync(folder).toSorted();
      const swap = (): void => {
        renameSync(join(folder, firstName), join(folder, 'between'));
        renameSync(join(folder, secondName), join(folder, firstName));
        renameSync(join(folder, 'between'), join(folder, secondName));
      };
      swap();
      expect(hasNoProblems(await verify(testArchive.reopen())), `${kind} swapped`).toBe(false);
      swap();
      const originalContent = readFileSync(join(folder, secondName));
      const otherContent = readFileSync(
        join(otherArchive.archive.folder, kind, readdirSync(join(otherArchive.archive.folder, kind)).at(-1) ?? ''),
      );
      writeFileSync(join(folder, secondName), otherContent);
      expect(hasNoProblems(await verify(testArchive.reopen())), `${kind} from another archive`).toBe(false);
      writeFileSync(join(folder, secondName), originalContent);
    }
    expect(hasNoProblems(await verify(testArchive.reopen()))).toBe(true);
  });

  it('detects an archive that was rolled back to an earlier state', async () => {
    const { archive, reopen } = await newArchive();
    const firstBackup = await backUp(archive, home);
    const earlierFolder = copyOf(archive.folder);
    const secondBackup = await backUp(archive, home);
    expect(hasNoProblems(await verify(reopen(), { newest: secondBackup.name, generation: 2 }))).toBe(true);
    rmSync(archive.folder, { recursive: true });
    renameSync(earlierFolder, archive.folder);
    expect(hasNoProblems(await verify(reopen(), { newest: firstBackup.name, generation: 1 }))).toBe(true);
    expect((await verify(reopen(), { newest: secondBackup.name, generation: 2 })).problems.join()).toMatch(
      /earlier state/u,
    );
  });

  it('finds damage that the next backup repairs with the content of the home', async () => {
    const { archive, reopen } = await newArchive();
    const firstBackup = await backUp(archive, home);
    const [pack = ''] = archive.listNames('pack');
    const file = join(archive.folder, 'packs', pack);
    const content = readFileSync(file);
    content[1000] = (content[1000] ?? 0) ^ 1;
    writeFileSync(file, content);
    const result = await verify(reopen());
    expect(result.damagedPacks).toStrictEqual([pack]);
    await expect(restoreBackup(reopen(), firstBackup)).rejects.toThrow(/damaged/u);
    await backUp(reopen(), home, () => Date.now(), result.damagedPacks);
    rmSync(file);
    expect((await verify(reopen())).problems).toStrictEqual([]);
    await restoreBackup(reopen(), firstBackup);
  });

  it('reports unknown files separately and not as damage', async () => {
    const unknownFile = join(testArchive.archive.folder, 'packs', '.DS_Store');
    writeFileSync(unknownFile, 'x');
    const result = await verify(testArchive.reopen());
    rmSync(unknownFile);
    expect([result.problems, result.unknownFiles]).toStrictEqual([[], ['packs/.DS_Store']]);
  });
});

describe('opening or creating an archive', () => {
  let testArchive: TestArchive;
  beforeAll(async () => {
    testArchive = await newArchive();
    await backUp(testArchive.archive, home);
  });

  it('accepts the passphrase, and the recovery key even in lower case and with look-alike characters', async () => {
    for (const secret of [
      { passphrase: PASSPHRASE },
      { recoveryKey: testArchive.recoveryKey },
      {
        recoveryKey: testArchive.recoveryKey
          .toLowerCase()
          .replaceAll('-', ' ')
          .replaceAll('0', 'o')
          .replaceAll('1', 'l'),
      },
    ])
      expect((await openArchive(testArchive.archive.folder, secret)).id).toBe(testArchive.archive.id);
  });

  it('distinguishes a wrong recovery key from a mistyped one', async () => {
    const otherArchive = await newArchive(newFolder(), { hasOwnKey: true });
    await expect(openArchive(testArchive.archive.folder, { passphrase: 'another one' })).rejects.toThrow(
      /does not open/u,
    );
    await expect(openArchive(testArchive.archive.folder, { recoveryKey: otherArchive.recoveryKey })).rejects.toThrow(
      /does not open/u,
    );
    const mistypedKey = testArchive.recoveryKey.replace(/^./u, (character) => (character === 'A' ? 'B' : 'A'));
    await expect(openArchive(testArchive.archive.folder, { recoveryKey: mistypedKey })).rejects.toThrow(
      /contains a typing error/u,
    );
    await expect(openArchive(testArchive.archive.folder, { recoveryKey: 'abc' })).rejects.toThrow(/instead of 40/u);
  });

  it('uses the copy of the key file if the original is damaged', async () => {
    const file = join(testArchive.archive.folder, 'key');
    const content = readFileSync(file);
    writeFileSync(file, 'spoilt');
    expect((await openArchive(testArchive.archive.folder, { passphrase: PASSPHRASE })).id).toBe(testArchive.archive.id);
    writeFileSync(file, content);
  });

  it('does not replace an archive whose key files are all damaged, and names its folder', async () => {
    const { target, archive } = await newArchive();
    for (const name of ['key', 'key-copy']) writeFileSync(join(archive.folder, name), 'spoilt');
    expect(() => createArchive(target, archive.keyFile, archive.masterKey)).toThrow(
      `The key files of the archive ${archive.folder} are damaged`,
    );
    // An interrupted creation leaves a folder without a key.
    for (const name of ['key', 'key-copy']) rmSync(join(archive.folder, name));
    createArchive(target, archive.keyFile, archive.masterKey);
    expect((await openArchive(archive.folder, { passphrase: PASSPHRASE })).id).toBe(archive.id);
  });

  it('refuses a key file that demands excessive hashing work', async () => {
    const copy = copyOf(testArchive.archive.folder);
    for (const name of ['key', 'key-copy']) {
      const text = readFileSync(join(copy, name), 'utf8');
      writeFileSync(join(copy, name), text.replace('"memoryKib": 65536', '"memoryKib": 99999999'));
    }
    await expect(openArchive(copy, { passphrase: PASSPHRASE })).rejects.toThrow(/too expensive/u);
  });

  it('finds the archive that a recovery key opens among several, and refuses to choose between two', async () => {
    const target = newFolder();
    const firstArchive = await newArchive(target, { passphrase: 'the first of two long passphrases' });
    const secondArchive = await newArchive(target, { passphrase: 'the second of two long passphrases' });
    await backUp(firstArchive.archive, home);
    await backUp(secondArchive.archive, home);
    expect((await findArchive(target, { recoveryKey: secondArchive.recoveryKey })).id).toBe(secondArchive.archive.id);
    await expect(findArchive(target, { passphrase: 'neither' })).rejects.toThrow(/does not open/u);
    await newArchive(target, { passphrase: 'the first of two long passphrases' });
    await expect(findArchive(target, { recoveryKey: firstArchive.recoveryKey })).rejects.toThrow(
      /Enter the folder of one of them/u,
    );
    expect((await findArchive(target, { recoveryKey: firstArchive.recoveryKey }, firstArchive.archive.id)).id).toBe(
      firstArchive.archive.id,
    );
  });
});

describe('restore', () => {
  it('succeeds without the index', async () => {
    const { archive, target } = await newArchive();
    await backUp(archive, home);
    rmSync(join(archive.folder, 'index'), { recursive: true });
    const foundArchive = await findArchive(target, { passphrase: PASSPHRASE });
    await restoreBackup(foundArchive, findBackup(foundArchive));
  });

  it('accepts only an empty folder and leaves nothing behind on failure', async () => {
    const { archive } = await newArchive();
    const backup = await backUp(archive, home);
    const parent = newFolder();
    writeHomeFile(parent, 'home/copy.txt', 'copy');
    await expect(restoreBackup(archive, backup, join(parent, 'home'))).rejects.toThrow(/not empty/u);
    expect(filesBelow(parent)).toStrictEqual(['home/copy.txt']);
    const [pack = ''] = archive.listNames('pack');
    truncateSync(join(archive.folder, 'packs', pack), 5000);
    await expect(restoreBackup(archive, backup, join(parent, 'other'))).rejects.toThrow(/damaged/u);
    expect(readdirSync(parent)).toStrictEqual(['home']);
  });

  it('refuses backups from a newer version, but finds an older one in the same archive', async () => {
    const { archive } = await newArchive();
    const backup = await backUp(archive, home);
    const manifest = { ...readManifest(archive, backup.name), number: 2, schema: SCHEMA_VERSION + 1, program: '9.9.9' };
    archive.write('backup', '0000000002-00000000', [serializeManifest(manifest)]);
    expect(() => findBackup(archive)).toThrow(/newer version of this program \(9\.9\.9\)/u);
    expect(findBackup(archive, '1').name).toBe(backup.name);
    archive.write('backup', '0000000003-00000000', [serializeManifest({ ...manifest, format: 2, number: 3 })]);
    expect(() => findBackup(archive)).toThrow(/newer version/u);
  });

  it('refuses a list with paths outside the home, reserved names or duplicates', () => {
    const line = (path: string): string => JSON.stringify([path, 0, '0', '', '', []]);
    for (const path of [
      '../x',
      '/etc/x',
      'a/../../x',
      'a//b',
      '',
      '.',
      'files/./x',
      'backups/archive',
      'lock',
      'running',
      'pda.sqlite-wal',
      'a\0b',
    ])
      expect(() => parseLists([line(path)]), path).toThrow(/has an invalid format/u);
    expect(() => parseLists([`${line('a')}\n${line('a')}`])).toThrow(/has an invalid format/u);
    expect(parseLists([line('files/..x/a b')])).toHaveLength(1);
  });
});

describe('old backups', () => {
  const DAY_MS = 86_400_000;
  it.skipIf(!IS_THOROUGH_RUN)(
    'are removed by the retention rules, with the packs that only they use; the others stay complete',
    async () => {
      const copy = copyOf(home);
      const { archive, reopen } = await newArchive();
      const start = Date.UTC(2026, 0, 1, 12);
      const sizes: number[] = [];
      for (let day = 0; day < 6; day += 1) {
        writeHomeFile(copy, 'files/daily.bin', randomBytes(400_000));
        await backUp(archive, copy, () => start + day * DAY_MS);
        sizes.push(bytesBelow(archive.folder));
      }
      const removed = await pruneArchive(archive, { days: 3, weeks: 0, months: 0 });
      expect([removed.length, archive.listNames('backup').length]).toStrictEqual([3, 3]);
      expect(bytesBelow(archive.folder)).toBeLessThan((sizes.at(-1) ?? 0) - 2 * 400_000);
      expect((await verify(reopen())).problems).toStrictEqual([]);
      for (const name of archive.listNames('backup'))
        await restoreBackup(reopen(), { manifest: readManifest(archive, name) });
      expect(await pruneArchive(archive, { days: 3, weeks: 0, months: 0 })).toStrictEqual([]);
      const packs = archive.listNames('pack');
      expect((await backUp(archive, copy, () => start + 6 * DAY_MS)).manifest.added).toBe(0);
      expect(archive.listNames('pack')).toStrictEqual(packs);
    },
  );
});

describe('pruning', () => {
  it('keeps the packs of a backup that is currently unreadable', async () => {
    const copy = copyOf(home);
    const { archive, reopen } = await newArchive();
    const start = Date.UTC(2026, 0, 1, 12);
    for (const day of [0, 1]) {
      writeHomeFile(copy, 'files/daily.bin', randomBytes(400_000));
      await backUp(archive, copy, () => start + day * 86_400_000);
    }
    // The newest backup has packs that the other backup does not use.
    const newestBackup = archive.listNames('backup').toSorted().at(-1) ?? '';
    const file = join(archive.folder, filesBelow(archive.folder).find((name) => name.includes(newestBackup)) ?? '');
    const content = readFileSync(file);
    truncateSync(file, content.length / 2);
    const packs = archive.listNames('pack').toSorted();
    await pruneArchive(archive, { days: 10, weeks: 0, months: 0 });
    expect(archive.listNames('pack').toSorted()).toStrictEqual(packs);
    writeFileSync(file, content);
    expect((await verify(reopen())).problems).toStrictEqual([]);
  });
});

it('an archive is not used if its folder is missing, no longer contains the archive, or is a file', async () => {
  const { archive, target, reopen } = await newArchive();
  await backUp(archive, home);
  rmSync(archive.folder, { recursive: true });
  await expect(backUp(archive, home)).rejects.toThrow(/does not exist\. If it is on an external disk, connect it/u);
  expect(existsSync(archive.folder)).toBe(false);
  expect(() => reopen()).toThrow(/no longer contains the backups/u);
  rmSync(target, { recursive: true });
  expect(() => reopen()).toThrow(/does not exist/u);
  await expect(newArchive(join(home, 'config.json'))).rejects.toThrow(/is not a folder/u);
});
