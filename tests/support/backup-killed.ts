import { killAtChange } from './kill-at-change.ts';

// Process that runs one backup step and kills itself at its n-th change to the disk (`killAtChange`).
// Arguments: the step (JSON), and n. If the step completes, the process prints the number of changes.

export type KilledBackupStep =
  | { op: 'backup'; home: string; target: string; keyFile: string; masterKey: string }
  | { op: 'prune'; target: string; keyFile: string; masterKey: string }
  | { op: 'restore'; home: string; target: string; keyFile: string; masterKey: string }
  | { op: 'writeKeys'; target: string; keyFile: string; masterKey: string }
  | { op: 'activate'; home: string };

const request = JSON.parse(process.argv[2] ?? '') as KilledBackupStep;
const countChanges = killAtChange(Number(process.argv[3]));

const { openArchiveWithMasterKey } = await import('../../server/pda/account/backup/format/archive.ts');
const { parseKeyFile } = await import('../../server/pda/account/backup/format/key-file.ts');
const pause = (): Promise<void> => Promise.resolve();
const now = (): number => Date.now();
const openArchive = () => {
  if (request.op === 'activate') throw new Error('an activation has no archive');
  return openArchiveWithMasterKey(
    request.target,
    parseKeyFile(request.keyFile),
    Buffer.from(request.masterKey, 'base64'),
  );
};

if (request.op === 'backup') {
  const { makeBackup } = await import('../../server/pda/account/backup/operations/backup.ts');
  await makeBackup(openArchive(), {
    home: request.home,
    programVersion: '0.0.0',
    now,
    onProgress: () => undefined,
    pause,
  });
} else if (request.op === 'writeKeys') {
  const { writeKeys } = await import('../../server/pda/account/backup/format/archive.ts');
  const { folder, keyFile } = openArchive();
  writeKeys(folder, keyFile);
} else if (request.op === 'prune') {
  const { prune } = await import('../../server/pda/account/backup/operations/pruning.ts');
  await prune(openArchive(), { days: 1, weeks: 0, months: 0 }, pause);
} else if (request.op === 'restore') {
  const { findBackup, restoreHome } = await import('../../server/pda/account/backup/operations/restore.ts');
  await restoreHome(openArchive(), findBackup(openArchive()).manifest, request.home, {
    now,
    onProgress: () => undefined,
    pause,
  });
} else {
  const { activateRestoredHome } = await import('../../server/pda/account/backup/home/activation.ts');
  activateRestoredHome(request.home);
}
process.stdout.write(`${countChanges()}\n`);
