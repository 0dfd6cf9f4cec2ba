import { Option, type Command } from 'commander';
import { createProgressMeter, formatMegabytes, readPassword, print } from '../../platform/cli.ts';
import { Failure } from '../../platform/failure.ts';
import { backupTools } from '../pda.ts';
import { VERSION } from '../core/version.ts';

/* Commands `pda backup`, `pda backups` and `pda restore`. */

type KeyOptions = { passphraseStdin?: boolean; recoveryKeyStdin?: boolean };

const readSecret = async ({ recoveryKeyStdin }: KeyOptions) => {
  const text = await readPassword();
  return recoveryKeyStdin === true ? { recoveryKey: text } : { passphrase: text };
};

const checkPassphrase = async (passphrase: string): Promise<void> => {
  // Loaded on demand: the word lists take 30 MB, which a long-running server must not keep.
  const { estimatePasswordStrength } = await import('../../platform/auth/password-strength.ts');
  if (!estimatePasswordStrength(passphrase).acceptable)
    throw new Failure('invalid_input', 'This passphrase is too easy to guess. Use a longer one, or several words.');
};

const parseRetention = (text: string | undefined) => {
  if (text === undefined) return undefined;
  const numbers = /^(?<days>\d{1,4}),(?<weeks>\d{1,4}),(?<months>\d{1,4})$/u.exec(text)?.groups;
  if (numbers === undefined) throw new Failure('invalid_input', '--keep takes days, weeks and months, e.g. 7,5,12.');
  return { days: Number(numbers['days']), weeks: Number(numbers['weeks']), months: Number(numbers['months']) };
};

const backUp = async (options: { home: string; to: string; keep?: string }): Promise<void> => {
  const retention = parseRetention(options.keep);
  const passphrase = await readPassword();
  const meter = createProgressMeter('backing up');
  const result = await backupTools
    .backUp({
      home: options.home,
      to: options.to,
      passphrase,
      programVersion: VERSION,
      retention,
      check: checkPassphrase,
      onProgress: ({ done, total }) => meter.update(done, total),
    })
    .finally(() => meter.end());
  const { manifest } = result;
  print(`backup ${manifest.number} of ${manifest.name} in ${result.folder}`);
  print(
    `${manifest.files} files, ${formatMegabytes(manifest.bytes)}; ${formatMegabytes(manifest.added)} were new; hash ${manifest.hash}`,
  );
  if (manifest.leftOut > 0) print(`${manifest.leftOut} links, special files and unsupported names were left out`);
  if (manifest.unsteady > 0) print(`${manifest.unsteady} files changed while they were read`);
  if (result.removedCount > 0) print(`${result.removedCount} older backups were removed`);
  if (result.damage !== undefined) print(result.damage);
  if (result.recoveryKey !== undefined) {
    print('recovery key, shown only once; print it and keep it away from the backups:');
    print(result.recoveryKey);
  }
};

const list = async (options: KeyOptions & { from: string; archive?: string; verify?: boolean }): Promise<void> => {
  const secret = await readSecret(options);
  const source = { from: options.from, secret, archive: options.archive };
  const { archive, backups } = await backupTools.listBackups(source);
  for (const backup of backups) {
    if ('problem' in backup) print([Number(backup.name.slice(0, 10)), backup.problem].join('\t'));
    else {
      const { number, created, name, files, bytes, hash } = backup.manifest;
      print([number, created, name, `${files} files`, formatMegabytes(bytes), hash].join('\t'));
    }
  }
  if (options.verify !== true) return;
  const meter = createProgressMeter('verified');
  const verification = await backupTools.verify({ ...source, archive }, meter.update).finally(() => meter.end());
  for (const file of verification.unknownFiles) print(`unknown file: ${file}`);
  if (verification.problems.length > 0) throw new Failure('wrong_state', verification.problems.join(' '));
  print(`all bytes verified: ${verification.backups} backups, ${formatMegabytes(verification.bytes)}`);
};

const restore = async (
  options: KeyOptions & { from: string; home: string; archive?: string; backup?: string },
): Promise<void> => {
  const secret = await readSecret(options);
  const meter = createProgressMeter('restored');
  const { manifest } = await backupTools
    .restore(
      { from: options.from, secret, archive: options.archive },
      { home: options.home, backup: options.backup, onProgress: meter.update },
    )
    .finally(() => meter.end());
  print(
    `${manifest.name} restored into ${options.home} as it was on ${manifest.created}: ${manifest.files} files, ${formatMegabytes(manifest.bytes)}`,
  );
  print('all sessions ended; permissions changed after the backup have reverted to their earlier state');
};

const addKeyOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--passphrase-stdin', 'read the passphrase from standard input').conflicts('recoveryKeyStdin'),
    )
    .addOption(new Option('--recovery-key-stdin', 'read the recovery key from standard input'))
    .option('--archive <id>', 'archive to use if the folder contains archives of several homes')
    .hook('preAction', (_, action) => {
      const options = action.opts<KeyOptions>();
      if (options.passphraseStdin !== true && options.recoveryKeyStdin !== true)
        action.error("error: required option '--passphrase-stdin' (or '--recovery-key-stdin') not specified");
    });

export const addBackupCommands = (program: Command): void => {
  program
    .command('backup')
    .description('create an encrypted backup; the PDA may be running')
    .requiredOption('--home <dir>', 'folder of the PDA')
    .requiredOption('--to <path>', 'folder outside the home, for example on another disk or in a synchronised folder')
    .requiredOption('--passphrase-stdin', 'read the passphrase of the backups from standard input')
    .option(
      '--keep <days,weeks,months>',
      'after the backup, remove backups older than a day, except the newest of each of the last <days> days, ' +
        '<weeks> weeks and <months> months that have backups',
    )
    .action(backUp);
  addKeyOptions(program.command('backups').description('list the backups in a folder'))
    .requiredOption('--from <path>', 'folder with the backups')
    .option('--verify', 'verify every byte of the backups')
    .action(list);
  addKeyOptions(program.command('restore').description('restore a backup into a new home'))
    .requiredOption('--from <path>', 'folder with the backups')
    .requiredOption('--home <dir>', 'new or empty folder')
    .option('--backup <number>', 'number of the backup; default: the newest')
    .action(restore);
};
