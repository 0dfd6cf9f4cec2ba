import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStale, nextDue } from './schedule-rules.ts';
import { hashOfContent, parseLists, sortEntries, formatLists, type Entry } from './format/manifest-rules.ts';
import { formatRecoveryKey, parseRecoveryKey, RECOVERY_SECRET_BYTES } from './format/recovery-key-rules.ts';
import { selectBackupsToKeep } from './operations/retention-rules.ts';
import { reconcileEntries } from './home/reconciliation-rules.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 5, 15, 12);

describe('the retention of backups', () => {
  const dailyBackups = Array.from({ length: 400 }, (_, day) => ({ created: NOW - day * DAY_MS })).toReversed();

  it('keeps the newest backup of each of the last days, weeks and months', () => {
    const ages = [...selectBackupsToKeep(dailyBackups, { days: 7, weeks: 5, months: 12 })].map(
      ({ created }) => (NOW - created) / DAY_MS,
    );
    expect(ages.toSorted((a, b) => a - b).slice(0, 7)).toStrictEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(ages.length).toBeGreaterThanOrEqual(7 + 3 + 10);
    expect(ages.length).toBeLessThanOrEqual(7 + 5 + 12);
    expect(Math.max(...ages)).toBeGreaterThan(300);
  });

  it('always keeps the newest backup, and removes no further backups when it is applied again', () => {
    const times = fc.array(fc.integer({ min: 0, max: 4e12 }), { minLength: 1, maxLength: 60 });
    const retentions = fc.record({ days: fc.nat(10), weeks: fc.nat(10), months: fc.nat(10) });
    fc.assert(
      fc.property(times, retentions, (created, retention) => {
        const backups = created.map((time) => ({ created: time }));
        const retained = selectBackupsToKeep(backups, retention);
        expect(retained).toContain(backups.at(-1));
        expect(
          selectBackupsToKeep(
            backups.filter((backup) => retained.has(backup)),
            retention,
          ),
        ).toStrictEqual(retained);
      }),
    );
  });

  it('keeps the newest backup although the clock was ahead by years when earlier ones were made', () => {
    const futureBackups = Array.from({ length: 7 }, (_, day) => ({ created: NOW + (3650 + day) * DAY_MS }));
    const [dayBefore, today] = [{ created: NOW - DAY_MS }, { created: NOW }];
    const retained = selectBackupsToKeep([dayBefore, ...futureBackups, today], { days: 2, weeks: 0, months: 0 });
    expect([...retained]).toStrictEqual([today, futureBackups.at(-1)]);
  });
});

describe('a scheduled backup', () => {
  it('is due immediately without an earlier backup, otherwise after the interval, and never if backups are off', () => {
    expect(nextDue('day', undefined, undefined, NOW)).toBe(NOW);
    expect(nextDue('day', NOW - HOUR_MS, { at: NOW - HOUR_MS, failures: 0 }, NOW)).toBe(NOW + 23 * HOUR_MS);
    expect(nextDue('off', undefined, undefined, NOW)).toBeUndefined();
  });

  it('is retried with increasing delays of at most six hours or the interval, whichever is shorter', () => {
    const retryDelayMs = (failures: number) =>
      (nextDue('day', NOW - 2 * DAY_MS, { at: NOW, failures }, NOW) ?? 0) - NOW;
    expect([1, 2, 3, 9].map(retryDelayMs)).toStrictEqual([HOUR_MS / 4, HOUR_MS / 2, HOUR_MS, 6 * HOUR_MS]);
    expect((nextDue('hour', NOW - DAY_MS, { at: NOW, failures: 9 }, NOW) ?? 0) - NOW).toBe(HOUR_MS);
  });

  it('is due immediately if the newest backup is dated in the future', () => {
    expect(nextDue('week', NOW + 40 * DAY_MS, { at: NOW + 40 * DAY_MS, failures: 0 }, NOW)).toBe(NOW);
  });

  it('is reported as overdue if the newest backup is too old, or if there is none', () => {
    expect(
      [undefined, NOW - DAY_MS, NOW - 3 * DAY_MS].map((lastBackup) => isStale('day', lastBackup, NOW)),
    ).toStrictEqual([true, false, true]);
  });
});

/** Eight groups of five characters, and seven hyphens. */
const PRINTED_KEY_CHARS = 47;

it('a printed recovery key parses back into its secret, and a changed character is detected', () => {
  const secrets = fc.uint8Array({ minLength: RECOVERY_SECRET_BYTES, maxLength: RECOVERY_SECRET_BYTES });
  fc.assert(
    fc.property(
      secrets,
      fc.nat(PRINTED_KEY_CHARS - 1),
      fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
      (bytes, index, character) => {
        const printedKey = formatRecoveryKey(Buffer.from(bytes));
        expect(parseRecoveryKey(printedKey).equals(Buffer.from(bytes))).toBe(true);
        if (printedKey[index] === '-' || printedKey[index] === character) return;
        expect(() => parseRecoveryKey(printedKey.slice(0, index) + character + printedKey.slice(index + 1))).toThrow(
          /typing error/u,
        );
      },
    ),
  );
});

describe('lists of a manifest', () => {
  const id = (seed: number): string => seed.toString(36).padStart(32, 'x');
  const entries = fc
    .uniqueArray(
      fc.record({
        path: fc.stringMatching(/^files\/[a-zé ✓.]{1,20}x$/u),
        chunks: fc.array(fc.nat().map(id), { maxLength: 200 }),
        size: fc.nat(),
      }),
      {
        selector: ({ path }) => path,
      },
    )
    .map((unsortedEntries) =>
      sortEntries(
        unsortedEntries.map((entry): Entry => ({
          kind: 'file',
          modified: '5',
          statSignature: '1:2',
          digest: 'd',
          ...entry,
        })),
      ),
    );

  it('parse back into the entries from which they were formatted', () => {
    fc.assert(
      fc.property(entries, (sortedEntries) => {
        const parsedEntries = parseLists([...formatLists(sortedEntries)].map((list) => list.toString('utf8')));
        expect(parsedEntries).toStrictEqual(sortedEntries);
        expect(hashOfContent(parsedEntries)).toBe(hashOfContent(sortedEntries));
      }),
    );
  });

  it('are the same, except for at most two, after a file is added', () => {
    const allEntries = Array.from({ length: 5000 }, (_, index): Entry => ({
      kind: 'file',
      path: `files/${String(index).padStart(6, '0')}`,
      size: index,
      modified: '1',
      statSignature: '',
      digest: 'd',
      chunks: [id(index)],
    }));
    const addedEntry: Entry = {
      kind: 'file',
      path: 'files/002500a',
      size: 1,
      modified: '1',
      statSignature: '',
      digest: 'd',
      chunks: [],
    };
    const initialLists = new Set([...formatLists(allEntries)].map(String));
    const changedLists = [...formatLists(sortEntries([...allEntries, addedEntry]))].map(String);
    expect(changedLists.length).toBeGreaterThan(10);
    expect(changedLists.filter((list) => !initialLists.has(list)).length).toBeLessThanOrEqual(2);
  });
});

describe('content that was moved while a backup was made', () => {
  const file = (path: string, size: number, inode = 0, modified = '1'): Entry => ({
    kind: 'file',
    path,
    size,
    modified,
    statSignature: `7:${inode}`,
    digest: path,
    chunks: [],
  });
  const row = { status: 'Completed', undo: null, moving: 0, inode: null, modified: '1' };
  type Row = Parameters<typeof reconcileEntries>[1] extends Iterable<infer T> ? T : never;
  /** Returns the digest of each entry, which is the path at which it was scanned, by the path in the backup. */
  const reconcile = (scannedEntries: readonly Entry[], copiedRows: readonly Row[], liveRows: readonly Row[]) => {
    const reconciled = reconcileEntries(new Map(scannedEntries.map((entry) => [entry.path, entry])), copiedRows, {
      findFile: (seq) => liveRows.find((candidate) => candidate.seq === seq),
      findFileAt: (path) => liveRows.find((candidate) => candidate.path === path),
    });
    const digests = [...reconciled].map(([path, entry]) => [path, entry.kind === 'file' ? entry.digest : '']);
    return Object.fromEntries(digests) as Record<string, string>;
  };

  it('is stored at its path in the database copy, without files that were added later', () => {
    const copiedRows = [
      { ...row, seq: 1, path: 'a', size: 1 },
      { ...row, seq: 2, path: null, status: 'New', size: 2 },
      { ...row, seq: 3, path: 'stays', size: 3 },
    ];
    const liveRows = [
      { ...row, seq: 1, path: null, status: 'Deleted', undo: 'a', size: 1 },
      { ...row, seq: 2, path: 'b', size: 2 },
      { ...row, seq: 3, path: 'stays', size: 3 },
      { ...row, seq: 4, path: 'later', size: 4 },
    ];
    const scannedEntries = ['removed/1', 'files/b', 'files/stays', 'files/later', 'files/by hand'].map((path, index) =>
      file(path, index + 1),
    );
    expect(reconcile(scannedEntries, copiedRows, liveRows)).toStrictEqual({
      'files/a': 'removed/1',
      'files/by hand': 'files/by hand',
      'files/stays': 'files/stays',
      'uploads/2': 'files/b',
    });
  });

  it('is not confused with another file that was moved to its former path', () => {
    const copiedRows = [
      { ...row, seq: 1, path: 'report', size: 9, inode: '5:1' },
      { ...row, seq: 2, path: 'new/report', size: 9, inode: '5:2' },
    ];
    const liveRows = [
      { ...row, seq: 1, path: 'old/report', size: 9, inode: '5:1' },
      { ...row, seq: 2, path: 'report', size: 9, inode: '5:2' },
    ];
    const scannedEntries = [file('files/old/report', 9, 1), file('files/report', 9, 2)];
    expect(reconcile(scannedEntries, copiedRows, liveRows)).toStrictEqual({
      'files/report': 'files/old/report',
      'files/new/report': 'files/report',
    });
  });

  it('is not confused with a later file at the path of a deleted or erased one', () => {
    const copiedRows = [
      { ...row, seq: 1, path: 'a', size: 1, inode: '5:1' },
      { ...row, seq: 2, path: 'b', size: 1, inode: '5:2' },
    ];
    const liveRows = [
      { ...row, seq: 1, path: null, status: 'Deleted', undo: 'a', size: 1, inode: '5:1' },
      { ...row, seq: 3, path: 'a', size: 1, inode: '5:3' },
      { ...row, seq: 4, path: 'b', size: 1, inode: '5:2', modified: '2' },
    ];
    const scannedEntries = [file('removed/1', 1, 1), file('files/a', 1, 3), file('files/b', 1, 2, '2')];
    expect(reconcile(scannedEntries, copiedRows, liveRows)).toStrictEqual({ 'files/a': 'removed/1' });
  });

  it('is the new content of a file that another program has replaced', () => {
    const rows = [{ ...row, seq: 1, path: 'a', size: 1, inode: '5:1' }];
    expect(reconcile([file('files/a', 1, 2)], rows, rows)).toStrictEqual({ 'files/a': 'files/a' });
  });
});
