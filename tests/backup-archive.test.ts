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
import { openArchive } from '../server/pda/account/backup/format/archive.ts';
import { readLists, writePage } from '../server/pda/account/backup/format/manifest-rules.ts';
import { SCHEMA_VERSION } from '../server/pda/account/backup/home/store.ts';
import { pageOf } from '../server/pda/account/backup/operations/backup.ts';
import { findArchive, findBackup } from '../server/pda/account/backup/operations/restore.ts';
import { paddedSize } from '../server/pda/account/backup/format/encryption.ts';
import {
  back,
  bringBack,
  bytesBelow,
  check,
  copyOf,
  filesBelow,
  newArchive,
  PASSPHRASE,
  put,
  thin,
  type TestArchive,
} from './support/backups.ts';
import { newFolder, newHome, removeFolders } from './support/server-process.ts';

/** Places all over each file at which a byte is flipped; `npm run test:long` takes more. */
const FLIPS = Number(process.env['PDA_FLIPS'] ?? 3);

/** What an archive promises, file by file and byte by byte. */

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
  put(home, 'files/a/b/letter.txt', 'Dear all');
  put(home, 'files/empty.txt', '');
  put(home, 'files/ünïcode ✓.bin', randomBytes(300_000));
  put(home, 'files/twice.bin', readFileSync(join(home, 'files/ünïcode ✓.bin')));
  put(home, 'functions/one/index.js', 'export {}');
  put(home, 'certificates/key.pem', 'a key');
  put(home, 'config.json', '{}');
  for (const name of filesBelow(join(home, 'files'))) utimesSync(join(home, 'files', name), 1.7e9, 1.7e9);
});
afterAll(removeFolders);

const passed = (found: { problems: string[] }): boolean => found.problems.length === 0;

describe('a backup', () => {
  it('brings back every file as it was, and its times', async () => {
    const { archive } = await newArchive();
    const made = await back(archive, home);
    const again = await bringBack(archive, made);
    const content = (folder: string) =>
      filesBelow(folder).filter((name) => !/^(?:pda\.sqlite|lock|running|backups)/u.test(name));
    expect(content(again)).toStrictEqual(content(home));
    for (const name of content(home)) {
      expect(readFileSync(join(again, name)).equals(readFileSync(join(home, name))), name).toBe(true);
      expect(statSync(join(again, name)).mtimeMs, name).toBeCloseTo(statSync(join(home, name)).mtimeMs, 1);
    }
    const rows = (folder: string) => {
      const db = new Sqlite(join(folder, 'pda.sqlite'), { readonly: true });
      const found = db.prepare('SELECT * FROM records ORDER BY seq').all();
      db.close();
      return found;
    };
    expect(rows(again)).toStrictEqual(rows(home));
    expect(statSync(again).mode & 0o777).toBe(0o700);
    expect(statSync(join(again, 'pda.sqlite')).mode & 0o777).toBe(0o600);
  });

  it('of the same content has the same hash and adds nothing, in another archive too', async () => {
    const one = await newArchive();
    const first = await back(one.archive, home);
    const packs = one.archive.names('pack');
    const second = await back(one.archive, home);
    expect(second.page.hash).toBe(first.page.hash);
    expect(second.page.added).toBe(0);
    expect(one.archive.names('pack')).toStrictEqual(packs);
    const other = await newArchive(newFolder(), { own: true });
    expect((await back(other.archive, home)).page.hash).toBe(first.page.hash);
  });

  it('after a small change adds little', async () => {
    const mine = copyOf(home);
    const { archive } = await newArchive();
    const first = await back(archive, mine);
    const db = new Sqlite(join(mine, 'pda.sqlite'));
    db.prepare(
      "INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (99999, 'x', 1, 1, 1, '{}')",
    ).run();
    db.close();
    const second = await back(archive, mine);
    expect(second.page.hash).not.toBe(first.page.hash);
    expect(second.page.added).toBeLessThan(300_000);
    expect(second.page.added).toBeGreaterThan(0);
  });

  it('reads a file again whose content changed with its size and time as they were', async () => {
    const mine = copyOf(home);
    const { archive } = await newArchive();
    const first = await back(archive, mine);
    writeFileSync(join(mine, 'files/a/b/letter.txt'), 'Dear one');
    utimesSync(join(mine, 'files/a/b/letter.txt'), 1.7e9, 1.7e9);
    const second = await back(archive, mine);
    expect(second.page.hash).not.toBe(first.page.hash);
    expect(readFileSync(join(await bringBack(archive, second), 'files/a/b/letter.txt'), 'utf8')).toBe('Dear one');
    expect(readFileSync(join(await bringBack(archive, first), 'files/a/b/letter.txt'), 'utf8')).toBe('Dear all');
  });

  it('leaves links out, follows none, and says how many there were', async () => {
    const mine = copyOf(home);
    symlinkSync('/etc/passwd', join(mine, 'files/passwd'));
    symlinkSync('/etc', join(mine, 'files/etc'));
    const { archive } = await newArchive();
    const made = await back(archive, mine);
    expect(made.page.leftOut).toBe(2);
    const again = await bringBack(archive, made);
    expect(readdirSync(join(again, 'files')).toSorted()).toStrictEqual(readdirSync(join(home, 'files')).toSorted());
  });

  it('shows nothing of what is in it: no content, no name, no number of files', async () => {
    const few = copyOf(home);
    const many = copyOf(home);
    for (let index = 0; index < 60; index += 1) put(many, `files/secretname/${index}.txt`, `secretword ${index}`);
    const names: string[] = [];
    for (const one of [few, many]) {
      const { archive } = await newArchive();
      await back(archive, one);
      for (const name of filesBelow(archive.folder)) {
        const content = readFileSync(join(archive.folder, name));
        // Words of at least six bytes: a shorter one occurs in random bytes by chance.
        for (const word of ['secret', 'letter', 'SQLite', 'config.json', 'id-100', 'Dear all'])
          if (name !== 'key' && name !== 'key-copy') expect(content.includes(word), `${word} in ${name}`).toBe(false);
        // Random bytes do not shrink, and neither does what is sealed: one pack, whatever the number of files.
      }
      names.push(String(archive.names('pack').length));
    }
    expect(names[0]).toBe(names[1]);
    expect(paddedSize(1_000_001)).toBe(paddedSize(1_010_000));
    expect(paddedSize(1_000_000) / 1_000_000).toBeLessThan(1.12);
  });
});

describe('damage is found', () => {
  let made: TestArchive;
  beforeAll(async () => {
    const mine = await newHome(join(newFolder(), 'home'));
    put(mine, 'files/letter.txt', 'Dear all');
    made = await newArchive();
    await back(made.archive, mine);
    put(mine, 'files/more.bin', randomBytes(50_000));
    await back(made.archive, mine);
  });

  const files = (): string[] => filesBelow(made.archive.folder);

  it('and none where there is none', async () => {
    const found = await check(made.reopen());
    expect(found.problems).toStrictEqual([]);
    expect([found.backups, found.packs]).toStrictEqual([2, 2]);
    expect(files()).toHaveLength(2 + 2 + 2 + 2);
  });

  it('in every file, wherever a byte is flipped', async () => {
    let flips = 0;
    for (const [index, name] of files().entries()) {
      const file = join(made.archive.folder, name);
      const content = readFileSync(file);
      // What it is, salt, the first and the last of what is sealed, the proof, and places all over it.
      const marked = [0, 4, 5, 7, 8, 39, 40, 41, content.length - 17, content.length - 16, content.length - 1];
      // There are two of each kind, of one form.
      const places = new Set(index % 2 === 0 || FLIPS > 10 ? marked : []);
      const step = Math.max(1, Math.floor(content.length / FLIPS));
      for (let at = 0; at < content.length; at += step) places.add(at);
      for (const at of places) {
        const changed = Buffer.from(content);
        changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
        writeFileSync(file, changed);
        expect(passed(await check(made.reopen())), `${name} at ${at}`).toBe(false);
        flips += 1;
      }
      writeFileSync(file, content);
    }
    expect(flips).toBeGreaterThan(files().length * (5 + FLIPS / 2));
    expect(passed(await check(made.reopen()))).toBe(true);
  });

  it('in every file that was cut off, grew, or is not there', async () => {
    for (const name of files()) {
      const file = join(made.archive.folder, name);
      const content = readFileSync(file);
      for (const length of [0, 55, content.length - 1]) {
        truncateSync(file, length);
        expect(passed(await check(made.reopen())), `${name} cut to ${length}`).toBe(false);
        writeFileSync(file, content);
      }
      writeFileSync(file, Buffer.concat([content, Buffer.from([0])]));
      expect(passed(await check(made.reopen())), `${name} with a byte more`).toBe(false);
      rmSync(file);
      // Packs say themselves what is in them: one of two indexes that is gone takes nothing along.
      expect(passed(await check(made.reopen())), `${name} is gone`).toBe(name.startsWith('index/'));
      writeFileSync(file, content);
    }
  });

  it('where two files changed places, or came from another archive', async () => {
    const other = await newArchive(newFolder(), { own: true });
    await back(other.archive, home);
    await back(other.archive, home);
    for (const kind of ['packs', 'backups', 'index'] as const) {
      const folder = join(made.archive.folder, kind);
      const [one = '', two = ''] = readdirSync(folder).toSorted();
      const swap = (): void => {
        renameSync(join(folder, one), join(folder, 'between'));
        renameSync(join(folder, two), join(folder, one));
        renameSync(join(folder, 'between'), join(folder, two));
      };
      swap();
      expect(passed(await check(made.reopen())), `${kind} swapped`).toBe(false);
      swap();
      const mine = readFileSync(join(folder, two));
      const theirs = readFileSync(
        join(other.archive.folder, kind, readdirSync(join(other.archive.folder, kind)).at(-1) ?? ''),
      );
      writeFileSync(join(folder, two), theirs);
      expect(passed(await check(made.reopen())), `${kind} of another`).toBe(false);
      writeFileSync(join(folder, two), mine);
    }
    expect(passed(await check(made.reopen()))).toBe(true);
  });

  it('where the whole was put back to an earlier state', async () => {
    const mine = await newArchive();
    const first = await back(mine.archive, home);
    const earlier = copyOf(mine.archive.folder);
    const second = await back(mine.archive, home);
    expect(passed(await check(mine.reopen(), { newest: second.name, generation: 2 }))).toBe(true);
    rmSync(mine.archive.folder, { recursive: true });
    renameSync(earlier, mine.archive.folder);
    expect(passed(await check(mine.reopen(), { newest: first.name, generation: 1 }))).toBe(true);
    expect((await check(mine.reopen(), { newest: second.name, generation: 2 })).problems.join()).toMatch(
      /earlier state/u,
    );
  });

  it('and repaired by the next backup from the remaining content', async () => {
    const mine = await newArchive();
    const first = await back(mine.archive, home);
    const [pack = ''] = mine.archive.names('pack');
    const file = join(mine.archive.folder, 'packs', pack);
    const content = readFileSync(file);
    content[1000] = (content[1000] ?? 0) ^ 1;
    writeFileSync(file, content);
    const found = await check(mine.reopen());
    expect(found.damagedPacks).toStrictEqual([pack]);
    await expect(bringBack(mine.reopen(), first)).rejects.toThrow(/damaged/u);
    await back(mine.reopen(), home, () => Date.now(), found.damagedPacks);
    rmSync(file);
    expect((await check(mine.reopen())).problems).toStrictEqual([]);
    await bringBack(mine.reopen(), first);
  });

  it('not in what a synchronising program left there; that is only named', async () => {
    const stray = join(made.archive.folder, 'packs', '.DS_Store');
    writeFileSync(stray, 'x');
    const found = await check(made.reopen());
    rmSync(stray);
    expect([found.problems, found.unknownFiles]).toStrictEqual([[], ['packs/.DS_Store']]);
  });

  it('without the index everything is found all the same', async () => {
    const copy = { ...made, target: newFolder() };
    const folder = copyOf(made.archive.folder);
    renameSync(folder, join(copy.target, `pda-${made.archive.id}`));
    rmSync(join(copy.target, `pda-${made.archive.id}`, 'index'), { recursive: true });
    const archive = await findArchive(copy.target, { passphrase: PASSPHRASE });
    await bringBack(archive, findBackup(archive));
  });
});

describe('a key', () => {
  let made: TestArchive;
  beforeAll(async () => {
    made = await newArchive();
    await back(made.archive, home);
  });

  it('opens the archive as a passphrase and as the printed recovery key, however that was typed', async () => {
    for (const secret of [
      { passphrase: PASSPHRASE },
      { recoveryKey: made.recoveryKey },
      { recoveryKey: made.recoveryKey.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l') },
    ])
      expect((await openArchive(made.archive.folder, secret)).id).toBe(made.archive.id);
  });

  it('distinguishes a wrong recovery key from a mistyped one', async () => {
    const other = await newArchive(newFolder(), { own: true });
    await expect(openArchive(made.archive.folder, { passphrase: 'another one' })).rejects.toThrow(/does not open/u);
    await expect(openArchive(made.archive.folder, { recoveryKey: other.recoveryKey })).rejects.toThrow(
      /does not open/u,
    );
    const typed = made.recoveryKey.replace(/^./u, (sign) => (sign === 'A' ? 'B' : 'A'));
    await expect(openArchive(made.archive.folder, { recoveryKey: typed })).rejects.toThrow(
      /not typed as it was printed/u,
    );
    await expect(openArchive(made.archive.folder, { recoveryKey: 'abc' })).rejects.toThrow(/40 are needed/u);
  });

  it('opens it by the copy when the first file with it is spoilt', async () => {
    const file = join(made.archive.folder, 'key');
    const content = readFileSync(file);
    writeFileSync(file, 'spoilt');
    expect((await openArchive(made.archive.folder, { passphrase: PASSPHRASE })).id).toBe(made.archive.id);
    writeFileSync(file, content);
  });

  it('may not ask for endless work', async () => {
    const copy = copyOf(made.archive.folder);
    for (const name of ['key', 'key-copy']) {
      const text = readFileSync(join(copy, name), 'utf8');
      writeFileSync(join(copy, name), text.replace('"memoryKib": 65536', '"memoryKib": 99999999'));
    }
    await expect(openArchive(copy, { passphrase: PASSPHRASE })).rejects.toThrow(/more work/u);
  });

  it('finds its own archive where several share a folder', async () => {
    const target = newFolder();
    const one = await newArchive(target, { passphrase: 'the first of two long passphrases' });
    const two = await newArchive(target, { passphrase: 'the second of two long passphrases' });
    await back(one.archive, home);
    await back(two.archive, home);
    expect((await findArchive(target, { recoveryKey: two.recoveryKey })).id).toBe(two.archive.id);
    await expect(findArchive(target, { passphrase: 'neither' })).rejects.toThrow(/does not open/u);
    await newArchive(target, { passphrase: 'the first of two long passphrases' });
    await expect(findArchive(target, { recoveryKey: one.recoveryKey })).rejects.toThrow(/Say which/u);
    expect((await findArchive(target, { recoveryKey: one.recoveryKey }, one.archive.id)).id).toBe(one.archive.id);
  });
});

describe('a restore', () => {
  it('goes into nothing but an empty folder, and leaves nothing behind when it cannot', async () => {
    const { archive } = await newArchive();
    const made = await back(archive, home);
    const parent = newFolder();
    put(parent, 'home/mine.txt', 'mine');
    await expect(bringBack(archive, made, join(parent, 'home'))).rejects.toThrow(/not empty/u);
    expect(filesBelow(parent)).toStrictEqual(['home/mine.txt']);
    const [pack = ''] = archive.names('pack');
    truncateSync(join(archive.folder, 'packs', pack), 5000);
    await expect(bringBack(archive, made, join(parent, 'other'))).rejects.toThrow(/damaged/u);
    expect(readdirSync(parent)).toStrictEqual(['home']);
  });

  it('of a newer version is refused in words, and nothing is touched', async () => {
    const { archive } = await newArchive();
    const made = await back(archive, home);
    const page = { ...pageOf(archive, made.name), number: 2, schema: SCHEMA_VERSION + 1, program: '9.9.9' };
    archive.write('backup', '0000000002-00000000', [writePage(page)]);
    expect(() => findBackup(archive)).toThrow(/newer version of this program \(9\.9\.9\)/u);
    expect(findBackup(archive, '1').name).toBe(made.name);
    archive.write('backup', '0000000003-00000000', [writePage({ ...page, format: 2, number: 3 })]);
    expect(() => findBackup(archive)).toThrow(/newer version/u);
  });

  it('writes to no place outside of the home, whatever a list says', () => {
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
      expect(() => readLists([line(path)]), path).toThrow(/not one that this program writes/u);
    expect(() => readLists([`${line('a')}\n${line('a')}`])).toThrow(/not one that/u);
    expect(readLists([line('files/..x/a b')])).toHaveLength(1);
  });
});

describe('old backups', () => {
  const DAY = 86_400_000;
  it('go as it was agreed, with what only they needed, and the kept ones stay whole', async () => {
    const mine = copyOf(home);
    const { archive, reopen } = await newArchive();
    const start = Date.UTC(2026, 0, 1, 12);
    const sizes: number[] = [];
    for (let day = 0; day < 6; day += 1) {
      put(mine, 'files/daily.bin', randomBytes(400_000));
      await back(archive, mine, () => start + day * DAY);
      sizes.push(bytesBelow(archive.folder));
    }
    const { removed, kept } = await thin(archive, { days: 3, weeks: 0, months: 0 });
    expect([removed.length, kept.length]).toStrictEqual([3, 3]);
    expect(bytesBelow(archive.folder)).toBeLessThan((sizes.at(-1) ?? 0) - 2 * 400_000);
    expect((await check(reopen())).problems).toStrictEqual([]);
    for (const name of archive.names('backup')) await bringBack(reopen(), { page: pageOf(archive, name) });
    expect((await thin(archive, { days: 3, weeks: 0, months: 0 })).removed).toStrictEqual([]);
    const packs = archive.names('pack');
    expect((await back(archive, mine, () => start + 6 * DAY)).page.added).toBe(0);
    expect(archive.names('pack')).toStrictEqual(packs);
  });
});

describe('pruning', () => {
  it('keeps the packs of a backup that cannot be read at the moment', async () => {
    const mine = copyOf(home);
    const { archive, reopen } = await newArchive();
    const start = Date.UTC(2026, 0, 1, 12);
    for (const day of [0, 1]) {
      put(mine, 'files/daily.bin', randomBytes(400_000));
      await back(archive, mine, () => start + day * 86_400_000);
    }
    // The newest one: packs that it alone needs hold nothing of the other.
    const newest = archive.names('backup').toSorted().at(-1) ?? '';
    const file = join(archive.folder, filesBelow(archive.folder).find((name) => name.includes(newest)) ?? '');
    const content = readFileSync(file);
    truncateSync(file, content.length / 2);
    const packs = archive.names('pack').toSorted();
    await thin(archive, { days: 10, weeks: 0, months: 0 });
    expect(archive.names('pack').toSorted()).toStrictEqual(packs);
    writeFileSync(file, content);
    expect((await check(reopen())).problems).toStrictEqual([]);
  });
});

it('a folder that is not there, is a file, or cannot be written to is said in words', async () => {
  const { archive, target, reopen } = await newArchive();
  await back(archive, home);
  rmSync(archive.folder, { recursive: true });
  await expect(back(archive, home)).rejects.toThrow(/is not there\. If it is on an external disk, connect it/u);
  expect(existsSync(archive.folder)).toBe(false);
  expect(() => reopen()).toThrow(/are not there/u);
  rmSync(target, { recursive: true });
  expect(() => reopen()).toThrow(/is not there/u);
  await expect(newArchive(join(home, 'config.json'))).rejects.toThrow(/is not a folder/u);
});
