import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openArchive,
  openArchiveWith,
  writeKeys,
  type BackupArchive,
} from '../server/pda/account/backup/format/archive.ts';
import { adoptRestored } from '../server/pda/account/backup/home/activation.ts';
import { openChunks } from '../server/pda/account/backup/format/chunks.ts';
import { drill } from '../server/pda/account/backup/operations/restore-drill.ts';
import { openHomeDatabase } from '../server/pda/account/backup/home/store.ts';
import { lockMaster, writeKeyFile, type Secret } from '../server/pda/account/backup/format/key-file.ts';
import { entriesOf, pageOf } from '../server/pda/account/backup/operations/backup.ts';
import type { Deed } from './support/backup-killed.ts';
import { back, bringBack, check, filesBelow, newArchive, PASSPHRASE, pause, put, thin } from './support/backups.ts';
import { newFolder, newHome, removeFolders } from './support/server-process.ts';
import { THOROUGH } from './support/at-length.ts';

/** A process that is ended in the middle: at each change of the disk that it makes, or at as many of them as there is time for. */

const ROOT = dirname(import.meta.dirname);
const NODE = join(ROOT, 'node_modules/node/bin/node');
/** With PDA_THOROUGH=1 at far more of them. */
const POINTS = THOROUGH ? 100 : 2;
const DAY = 86_400_000;

let home: string;
beforeAll(async () => {
  home = await newHome();
  put(home, 'files/a/letter.txt', 'Dear all');
  put(home, 'files/film.bin', randomBytes(500_000));
  put(home, 'config.json', '{}');
});
afterAll(removeFolders);

/** @returns how many changes it made; undefined when it was ended before it was done */
const doDeed = (deed: Deed, deadly: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    execFile(
      NODE,
      [join(ROOT, 'tests/support/backup-killed.ts'), JSON.stringify(deed), String(deadly)],
      (error, out, problems) => {
        if (error === null) resolve(Number(out));
        else if (error.signal === 'SIGKILL') resolve(undefined);
        else reject(new Error(problems));
      },
    );
  });

/** Points all over what it does, the first and the last among them; three at a time. */
const atManyPoints = async (all: number, at: (deadly: number) => Promise<void>): Promise<void> => {
  const step = Math.max(1, all / POINTS);
  const points = [
    ...new Set(Array.from({ length: POINTS }, (_, index) => Math.round(1 + index * step)).concat(all)),
  ].filter((point) => point <= all);
  const next = async (): Promise<void> => {
    for (let point = points.shift(); point !== undefined; point = points.shift()) await at(point);
  };
  await Promise.all([next(), next(), next()]);
};

type Case = {
  home: string;
  target: string;
  archive: BackupArchive;
  deed: Pick<Deed & { op: 'restore' }, 'target' | 'locks' | 'master'>;
};
/** A copy of the archive in a separate folder. */
const copyCase = (archive: BackupArchive, from: string): Case => {
  const target = newFolder();
  cpSync(archive.folder, join(target, `pda-${archive.id}`), { recursive: true });
  const mine = join(target, 'home');
  cpSync(from, mine, { recursive: true, preserveTimestamps: true });
  const deed = { target, locks: writeKeyFile(archive.keyFile), master: archive.master.toString('base64') };
  return { home: mine, target, archive: openArchiveWith(target, archive.keyFile, archive.master), deed };
};

const allWhole = async (archive: BackupArchive): Promise<number> => {
  expect((await check(archive)).problems).toStrictEqual([]);
  const names = archive.names('backup');
  for (const name of names) {
    const scratch = join(newFolder(), 'scratch');
    await drill(archive, pageOf(archive, name), { scratch, whole: true, tell: () => undefined, pause });
  }
  return names.length;
};

describe('a kill in the middle', () => {
  it('of a backup leaves the ones before whole, and the next one goes on from there', async () => {
    const { archive } = await newArchive();
    await back(archive, home);
    const changed = join(newFolder(), 'home');
    cpSync(home, changed, { recursive: true, preserveTimestamps: true });
    put(changed, 'files/second.bin', randomBytes(300_000));
    const trial = copyCase(archive, changed);
    const all = (await doDeed({ op: 'backup', home: trial.home, ...trial.deed }, 0)) ?? 0;
    expect(all).toBeGreaterThan(15);
    await atManyPoints(all, async (deadly) => {
      const one = copyCase(archive, changed);
      expect(await doDeed({ op: 'backup', home: one.home, ...one.deed }, deadly)).toBeUndefined();
      expect(await allWhole(one.archive), `killed at ${deadly} of ${all}`).toBeGreaterThanOrEqual(1);
      const next = await back(one.archive, one.home);
      expect(
        entriesOf(openChunks(one.archive, { complete: false }), next.page).some(
          ({ path }) => path === 'files/second.bin',
        ),
      ).toBe(true);
      await allWhole(one.archive);
      expect(filesBelow(one.target).filter((name) => /begun|snapshot/u.test(name))).toStrictEqual([]);
    });
  });

  it('of the removal of old ones leaves each that is still there whole', async () => {
    const { archive } = await newArchive();
    const mine = join(newFolder(), 'home');
    cpSync(home, mine, { recursive: true, preserveTimestamps: true });
    for (let day = 0; day < 3; day += 1) {
      put(mine, 'files/daily.bin', randomBytes(300_000));
      await back(archive, mine, () => Date.UTC(2026, 0, 1) + day * DAY);
    }
    const trial = copyCase(archive, mine);
    const all = (await doDeed({ op: 'prune', ...trial.deed }, 0)) ?? 0;
    expect(trial.archive.names('backup')).toHaveLength(1);
    await atManyPoints(all, async (deadly) => {
      const one = copyCase(archive, mine);
      expect(await doDeed({ op: 'prune', ...one.deed }, deadly)).toBeUndefined();
      expect(await allWhole(one.archive), `killed at ${deadly} of ${all}`).toBeGreaterThanOrEqual(1);
      await thin(one.archive, { days: 1, weeks: 0, months: 0 });
      expect(await allWhole(one.archive)).toBe(1);
    });
  });

  it('of a change of the passphrase leaves an archive that the old one or the new one opens', async () => {
    const { archive, recoveryKey } = await newArchive();
    const made = await back(archive, home);
    const fresh = await lockMaster(archive.master, archive.id, 'another long line of plain words');
    const words = [{ passphrase: PASSPHRASE }, { passphrase: 'another long line of plain words' }];
    const keys = [{ recoveryKey }, { recoveryKey: fresh.recoveryKey }];
    const opens = async (one: Case, ways: readonly Secret[]): Promise<boolean[]> =>
      Promise.all(
        ways.map((way) =>
          openArchive(one.archive.folder, way).then(
            () => true,
            () => false,
          ),
        ),
      );
    const trial = copyCase(archive, home);
    const change = { op: 'lock', ...trial.deed, locks: writeKeyFile(fresh.file) } as const;
    const all = (await doDeed(change, 0)) ?? 0;
    expect(await opens(trial, [...words, ...keys])).toStrictEqual([false, true, false, true]);
    await atManyPoints(all, async (deadly) => {
      const one = copyCase(archive, home);
      expect(await doDeed({ ...change, target: one.target }, deadly)).toBeUndefined();
      const [oldKey, newKey] = await opens(one, keys);
      expect(oldKey || newKey, `killed at ${deadly} of ${all}`).toBe(true);
      // A passphrase is a quarter of a second of work: it opens what its recovery key opens.
      if (deadly === all) expect(await opens(one, words)).toStrictEqual([oldKey, newKey]);
      // The change is asked for again, or the next backup mends the key: then there is one way in.
      writeKeys(one.archive.folder, fresh.file);
      expect(await opens(one, keys)).toStrictEqual([false, true]);
    });
    expect(made.page.number).toBe(1);
  });

  it('of a restore leaves no home, and the next one is whole', async () => {
    const { archive } = await newArchive();
    const made = await back(archive, home);
    const into = (): string => join(newFolder(), 'restored');
    const deed = {
      target: dirname(archive.folder),
      locks: writeKeyFile(archive.keyFile),
      master: archive.master.toString('base64'),
    };
    const all = (await doDeed({ op: 'restore', home: into(), ...deed }, 0)) ?? 0;
    await atManyPoints(all, async (deadly) => {
      const place = into();
      expect(await doDeed({ op: 'restore', home: place, ...deed }, deadly)).toBeUndefined();
      // The very last change says that the new name is to last: it is there by then.
      if (deadly < all) expect(existsSync(place), `killed at ${deadly} of ${all}`).toBe(false);
      if (!existsSync(place)) await bringBack(archive, made, place);
      expect(readFileSync(join(place, 'files/a/letter.txt'), 'utf8')).toBe('Dear all');
      expect(readdirSync(dirname(place))).toStrictEqual(['restored']);
    });
  });

  it('of the start that puts a restored home in its place is made good by the next start', async () => {
    const { archive } = await newArchive();
    const made = await back(archive, home);
    const empty = async (): Promise<string> => {
      const place = join(newFolder(), 'home');
      mkdirSync(join(place, 'files'), { recursive: true });
      mkdirSync(join(place, 'backups'));
      await bringBack(archive, made, join(place, 'backups/restoring'));
      renameSync(join(place, 'backups/restoring'), join(place, 'restored'));
      return place;
    };
    const all = (await doDeed({ op: 'adopt', home: await empty() }, 0)) ?? 0;
    await atManyPoints(all, async (deadly) => {
      const place = await empty();
      expect(await doDeed({ op: 'adopt', home: place }, deadly)).toBeUndefined();
      adoptRestored(place);
      expect(existsSync(join(place, 'restored')), `killed at ${deadly} of ${all}`).toBe(false);
      expect(readFileSync(join(place, 'files/a/letter.txt'), 'utf8')).toBe('Dear all');
      const db = openHomeDatabase(join(place, 'pda.sqlite'));
      expect(db.name()).toBe('ada');
      db.close();
    });
  });
});
