import { createWriteStream } from 'node:fs';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { Failure } from '../platform/failure.ts';
import { createLog, silentLog } from '../platform/log.ts';
import { endpointSchema } from '../wire/common.ts';
import { pdaNameSchema } from '../wire/owner.ts';
import { ConfigProblem } from './config.ts';
import { StorageProblem } from './storage/problems.ts';
import { createPda, type Pda } from './pda.ts';
import { VERSION } from './version.ts';

/** Exit codes of every command. */
const FINE = 0;
const FAILED = 1;
const WRONG_ARGUMENTS = 2;

const PAGES = fileURLToPath(new URL('../../renderer/dist', import.meta.url));

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

const parsed =
  <T>(schema: {
    safeParse(
      value: unknown,
    ): { success: true; data: T } | { success: false; error: { issues: { message: string }[] } };
  }) =>
  (value: string): T => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw new InvalidArgumentError(result.error.issues[0]?.message ?? 'not valid');
  };

const port = (value: string): number => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return number;
};

const readPassword = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/u, '');

/** Opens a home for one command, and closes it whatever happens. */
const withPda = async <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> => {
  const pda = await createPda({ home, log: silentLog() });
  try {
    return await work(pda);
  } finally {
    await pda.close();
  }
};

const requireOwner = (pda: Pda): void => {
  if (!pda.owner.isSetUp())
    throw new Failure('not_set_up', 'There is no PDA in this folder yet. Make one with: pda init');
};

const serve = async (options: { home: string; port: number; publicUrl?: string }): Promise<void> => {
  const log = createLog();
  const pda = await createPda({
    home: options.home,
    log,
    pages: PAGES,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
  });
  const stopped = new Promise<void>((resolve) => {
    const stop = (why: string): void => {
      log.info({ why }, 'stopping');
      void pda.close().then(resolve);
    };
    process.once('SIGTERM', () => stop('SIGTERM'));
    process.once('SIGINT', () => stop('SIGINT'));
    process.on('message', (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop')
        stop('asked by the app');
    });
    // Started by the app: without it there is nobody to serve for.
    if (process.channel !== undefined) process.once('disconnect', () => stop('the app is gone'));
  });
  const { url } = await pda.listen(options.port);
  say(`pda listening on ${url}`);
  const code = pda.owner.setupCode();
  if (code !== undefined) say(`open ${url}/#/setup?code=${code}`);
  await stopped;
};

const importFile = async (
  file: string,
  options: { home: string; endpoint: string; format?: 'json' | 'ndjson' | 'csv' },
): Promise<void> => {
  if (!existsSync(file)) throw new Failure('not_found', `There is no file ${file}.`);
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort('stopping'));
  const job = await withPda(options.home, (pda) => {
    requireOwner(pda);
    let shown = 0;
    return pda.imports.importFile(file, options.endpoint, {
      ...(options.format === undefined ? {} : { format: options.format }),
      signal: controller.signal,
      onProgress: ({ added, skipped, bytes_read: bytesRead }, size) => {
        if (!process.stderr.isTTY || Date.now() - shown < 200) return;
        shown = Date.now();
        process.stderr.write(
          `\r${Math.floor((100 * bytesRead) / Math.max(1, size))} %  ${added} added, ${skipped} here already `,
        );
      },
    });
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  say(`${job.added} added, ${job.skipped} here already`);
  if (job.state === 'running')
    throw new Failure('wrong_state', 'Stopped. Run the same command again to go on from here.');
  if (job.error !== null) {
    const where = job.error.line === null ? '' : `line ${job.error.line}: `;
    throw new Failure('invalid_input', `${where}${job.error.problem} Everything before it was stored.`);
  }
};

const exportEndpoint = (options: {
  home: string;
  endpoint: string;
  format: 'ndjson' | 'csv';
  to?: string;
}): Promise<void> =>
  withPda(options.home, async (pda) => {
    requireOwner(pda);
    const target =
      options.to === undefined ? process.stdout : createWriteStream(options.to, { flags: 'wx', mode: 0o600 });
    await pipeline(pda.exports.stream(options.endpoint, options.format), target, { end: options.to !== undefined });
  });

const buildProgram = (): Command => {
  const program = new Command('pda')
    .description('A server of your own for your own data.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const home = ['--home <dir>', 'the folder that is the PDA'] as const;

  program
    .command('init')
    .description('create a PDA without the wizard')
    .requiredOption(...home)
    .requiredOption('--name <name>', 'name of the PDA', parsed(pdaNameSchema))
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action(async (options: { home: string; name: string }) => {
      const password = await readPassword();
      await withPda(options.home, (pda) => pda.owner.init(options.name, password));
      say(`PDA ${options.name} created in ${options.home}`);
    });

  program
    .command('serve')
    .description('run a PDA')
    .requiredOption(...home)
    .option('--port <n>', 'port on this machine; 0 picks one', port, 0)
    .option('--public-url <url>', 'an address under which others reach it')
    .action(serve);

  program
    .command('import')
    .description('store the contents of a JSON, NDJSON or CSV file')
    .requiredOption(...home)
    .requiredOption('--endpoint <ns/path>', 'where the records go', parsed(endpointSchema))
    .option('--format <format>', 'json, ndjson or csv; guessed when not given')
    .argument('<file>')
    .action(importFile);

  program
    .command('export')
    .description('write the records of an endpoint')
    .requiredOption(...home)
    .requiredOption('--endpoint <ns/path>', 'which records', parsed(endpointSchema))
    .option('--format <format>', 'ndjson or csv', 'ndjson')
    .option('--to <file>', 'a new file; standard output when not given')
    .action(exportEndpoint);

  program
    .command('verify')
    .description('check the database from end to end')
    .requiredOption(...home)
    .action((options: { home: string }) =>
      withPda(options.home, async (pda) => {
        const problems = await pda.verify();
        if (problems.length > 0) throw new Failure('internal_error', `The database is damaged: ${problems[0] ?? ''}`);
        say('the database is sound');
      }),
    );

  program
    .command('password')
    .description('set a new password, at the machine itself; every session ends')
    .requiredOption(...home)
    .requiredOption('--password-stdin', 'read the new password from standard input')
    .action(async (options: { home: string }) => {
      const password = await readPassword();
      await withPda(options.home, (pda) => {
        requireOwner(pda);
        return pda.owner.resetPassword(password);
      });
      say('password changed; every session has ended');
    });

  return program;
};

/** Runs the command line. Resolves with the exit code; one line on standard error says why it is not 0. */
export const main = async (argv: readonly string[]): Promise<number> => {
  try {
    await buildProgram().parseAsync([...argv]);
    return FINE;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? FINE : WRONG_ARGUMENTS;
    if (error instanceof Failure) complain(error.reason);
    else if (error instanceof StorageProblem || error instanceof ConfigProblem) complain(error.message);
    else if (error instanceof Error && 'code' in error) complain(error.message);
    else throw error;
    return FAILED;
  }
};
