import { Option, type Command } from 'commander';
import { createProgressMeter, formatMegabytes, readPassword, print } from '../../platform/cli.ts';
import { Failure } from '../../platform/failure.ts';
import { backupTools } from '../pda.ts';
import { VERSION } from '../core/version.ts';

/** `pda backup`, `pda backups`, `pda restore` */

type KeyOptions = { passphraseStdin?: boolean; recoveryKeyStdin?: boolean };

const readSecret = async ({ recoveryKeyStdin }: KeyOptions) => {
  const text = await readPassword();
  return recoveryKeyStdin === true ? { recoveryKey: text } : { passphrase: text };
};

const checkPassphrase = async (passphrase: string): Promise<void> => {
  // Its word lists take 30 MB, which a server that runs for weeks must not keep.
  const { passwordStrength } = await import('../../platform/auth/password-strength.ts');
  if (!passwordStrength(passphrase).acceptable)
    throw new Failure('invalid_input', 'This passphrase is too easy to guess. Use a longer one, or several words.');
};

const readRetention = (text: string | undefined) => {
  if (text === undefined) return undefined;
  const numbers = /^(?<days>\d{1,4}),(?<weeks>\d{1,4}),(?<months>\d{1,4})$/u.exec(text)?.groups;
  if (numbers === undefined) throw new Failure('invalid_input', '--keep takes days, weeks and months, e.g. 7,5,12.');
  return { days: Number(numbers['days']), weeks: Number(numbers['weeks']), months: Number(numbers['months']) };
};

const backUp = async (options: { home: string; to: string; keep?: string }): Promise<void> => {
  const retention = readRetention(options.keep);
  const passphrase = await readPassword();
  const meter = createProgressMeter('backing up');
  const made = await backupTools
    .backUp({
      home: options.home,
      to: options.to,
      passphrase,
      program: VERSION,
      retention,
      check: checkPassphrase,
      tell: ({ done, total }) => meter.update(done, total),
    })
    .finally(() => meter.end());
  const { page } = made;
  print(`backup ${page.number} of ${page.name} in ${made.folder}`);
  print(
    `${page.files} files, ${formatMegabytes(page.bytes)}; ${formatMegabytes(page.added)} were new; hash ${page.hash}`,
  );
  if (page.leftOut > 0) print(`${page.leftOut} links and odd names are not in it`);
  if (page.unsteady > 0) print(`${page.unsteady} files changed while they were read`);
  if (made.removed > 0) print(`${made.removed} older backups were removed`);
  if (made.damage !== undefined) print(made.damage);
  if (made.recoveryKey !== undefined) {
    print('recovery key, shown this once; print it and keep it away from the backups:');
    print(made.recoveryKey);
  }
};

const list = async (options: KeyOptions & { from: string; archive?: string; verify?: boolean }): Promise<void> => {
  const secret = await readSecret(options);
  const from = { from: options.from, secret, archive: options.archive };
  const { archive, backups } = await backupTools.listBackups(from);
  for (const one of backups) {
    if ('problem' in one) print([Number(one.name.slice(0, 10)), one.problem].join('\t'));
    else {
      const { number, created, name, files, bytes, hash } = one.page;
      print([number, created, name, `${files} files`, formatMegabytes(bytes), hash].join('\t'));
    }
  }
  if (options.verify !== true) return;
  const meter = createProgressMeter('looked at');
  const found = await backupTools.verify({ ...from, archive }, meter.update).finally(() => meter.end());
  for (const file of found.unknownFiles) print(`not of the archive: ${file}`);
  if (found.problems.length > 0) throw new Failure('wrong_state', found.problems.join(' '));
  print(`every byte is as it was written: ${found.backups} backups, ${formatMegabytes(found.bytes)}`);
};

const restore = async (
  options: KeyOptions & { from: string; home: string; archive?: string; backup?: string },
): Promise<void> => {
  const secret = await readSecret(options);
  const meter = createProgressMeter('restored');
  const { page } = await backupTools
    .restore(
      { from: options.from, secret, archive: options.archive },
      { home: options.home, backup: options.backup, tell: meter.update },
    )
    .finally(() => meter.end());
  print(
    `${page.name} restored into ${options.home} as it was on ${page.created}: ${page.files} files, ${formatMegabytes(page.bytes)}`,
  );
  print('everybody has to sign in again; what was allowed or taken back since then is as it was then');
};

const keys = (command: Command): Command =>
  command
    .addOption(
      new Option('--passphrase-stdin', 'read the passphrase from standard input').conflicts('recoveryKeyStdin'),
    )
    .addOption(new Option('--recovery-key-stdin', 'read the recovery key from standard input'))
    .option('--archive <id>', 'which one, where a folder holds those of several homes')
    .hook('preAction', (_, action) => {
      const given = action.opts<KeyOptions>();
      if (given.passphraseStdin !== true && given.recoveryKeyStdin !== true)
        action.error("error: required option '--passphrase-stdin' (or '--recovery-key-stdin') not specified");
    });

export const addBackupCommands = (program: Command): void => {
  program
    .command('backup')
    .description('back everything up, encrypted; beside a running PDA too')
    .requiredOption('--home <dir>', 'the folder that is the PDA')
    .requiredOption('--to <path>', 'a folder elsewhere: of another disk, or one that is carried to another machine')
    .requiredOption('--passphrase-stdin', 'read the passphrase of the backups from standard input')
    .option('--keep <days,weeks,months>', 'remove older backups afterwards, except the newest of each of these periods')
    .action(backUp);
  keys(program.command('backups').description('list the backups in a folder'))
    .requiredOption('--from <path>', 'where they are')
    .option('--verify', 'look at every byte of them')
    .action(list);
  keys(program.command('restore').description('put a backup into a new home'))
    .requiredOption('--from <path>', 'where the backups are')
    .requiredOption('--home <dir>', 'a folder that is empty, or not there yet')
    .option('--backup <number>', 'which one; the newest when not given')
    .action(restore);
};
