import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import {
  printError,
  parseBaseUrl,
  parseOption,
  parsePort,
  readPassword,
  runCommandLine,
  print,
} from '../../platform/cli.ts';
import { Failure } from '../../platform/failure.ts';
import { writeWhenComplete } from '../../platform/io/file-system.ts';
import { createLog, silentLog } from '../../platform/log.ts';
import { boundOldGenerationGrowth, boundYoungGeneration } from '../../platform/service/heap-limit.ts';
import { endpointSchema } from '../../wire/common.ts';
import type { ImportFormat } from '../../wire/imports.ts';
import { pdaNameSchema } from '../../wire/owner.ts';
import { isStopMessage, serveDesktop, reportFatalError } from './desktop.ts';
import { addBackupCommands } from './backup.ts';
import { restoreCopyOf, createCopyOf } from './copies.ts';
import { installFunction, listFunctions, removeFunction, tryFunction } from './functions.ts';
import { addTransferCommands } from './transfer.ts';
import { addReceiptCommands } from './receipts.ts';
import { createPda, type Pda } from '../pda.ts';
import { watchHome } from '../storage/home/monitor.ts';
import { VERSION } from '../core/version.ts';

/** Delay of deferred work, so that it does not delay the first requests. */
const DEFERRED_START_MS = 1000;
/** Minimum time between two updates of the progress line. */
const PROGRESS_INTERVAL_MS = 200;

const PAGES = fileURLToPath(new URL('../../../renderer/dashboard/dist', import.meta.url));
const DOCS = fileURLToPath(new URL('../../../dist/docs', import.meta.url));

const withPda = async <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> => {
  const pda = await createPda({ home, log: silentLog() });
  try {
    return await work(pda);
  } finally {
    await pda.close();
  }
};

const notSetUp = (home: string): Failure =>
  new Failure('not_set_up', `There is no PDA in ${home} yet. Create one with: pda init`);

/**
 * Opens a PDA that must already exist, so that a mistyped folder does not become a new PDA.
 * @throws Failure not_set_up
 */
const withExistingPda = async <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> => {
  if (!['', '-wal', '-journal'].some((suffix) => existsSync(join(home, `pda.sqlite${suffix}`)))) throw notSetUp(home);
  return withPda(home, work);
};

const withOwner = <T>(home: string, work: (pda: Pda) => Promise<T>): Promise<T> =>
  withExistingPda(home, (pda) => {
    if (!pda.owner.isSetUp()) throw notSetUp(home);
    return work(pda);
  });

/** Listens for signals, and for the messages and the exit of the app that started the server. */
const listenForStop = (): { requested: Promise<string>; unsubscribe: () => void } => {
  const { promise: requested, resolve: requestStop } = Promise.withResolvers<string>();
  const onDisconnect = (): void => requestStop('the app has exited');
  const onMessage = (message: unknown): void => {
    if (isStopMessage(message)) requestStop('requested by the app');
  };
  process.on('SIGTERM', () => requestStop('SIGTERM'));
  process.on('SIGINT', () => requestStop('SIGINT'));
  process.on('message', onMessage);
  process.on('disconnect', onDisconnect);
  return {
    requested,
    unsubscribe() {
      // The signal handlers stay. Without them, another signal would kill the process before it exits normally.
      process.off('message', onMessage);
      process.off('disconnect', onDisconnect);
      // An open channel would keep the process alive.
      if (process.connected) process.disconnect();
    },
  };
};

const serve = async (options: { home: string; port?: number; publicUrl?: string }): Promise<void> => {
  const log = createLog();
  // By default, Node would exit and drop all requests in flight.
  const onUnhandledRejection = (error: unknown): void => log.error({ err: error }, 'unhandled rejection');
  process.on('unhandledRejection', onUnhandledRejection);
  // Registered before slow work, because the parent process may exit during a migration.
  const stop = listenForStop();
  let deferredStart: NodeJS.Timeout | undefined;
  let { port } = options;
  let mustRestart = true;
  try {
    // Restarts at the same address for a full erasure, a restore or an import, which the next start completes.
    while (mustRestart) {
      mustRestart = false;
      const { promise: erasureRequested, resolve: requestErasure } = Promise.withResolvers<string>();
      const onEraseEverything = (): void => {
        mustRestart = true;
        requestErasure('full erasure requested');
      };
      const pda = await createPda({
        home: options.home,
        log,
        pages: PAGES,
        docs: DOCS,
        onEraseEverything,
        ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
      }).catch(async (error: unknown) => {
        await reportFatalError(error);
        throw error;
      });
      const homeReplaced = pda.whenHomeReplaced.then(() => {
        mustRestart = true;
        return 'a backup was restored or an account was imported';
      });
      const desktop = serveDesktop(pda, log);
      const watch = watchHome(options.home);
      try {
        const { url } = await pda.listen(port);
        port = Number(new URL(url).port);
        const code = pda.owner.setupCode();
        // Uses localhost, because browsers accept no passkeys for an IP address.
        const dashboardUrl = `http://localhost:${port}/`;
        const setupLine = code === undefined ? '' : `\nopen ${dashboardUrl}#/setup?code=${code}`;
        // The desktop app opens pages of the dashboard only once it knows that the PDA is set up.
        if (process.send !== undefined) pda.owner.onSetUp(() => print(`open ${dashboardUrl}`));
        // Written in one call, so that a reader of the first line receives the second line, too.
        print(`pda listening on ${url}${setupLine}`);
        boundYoungGeneration();
        boundOldGenerationGrowth();
        deferredStart = setTimeout(() => {
          log.open();
          // Node writes the compile cache on a normal exit, which a killed server does not reach.
          module.flushCompileCache();
        }, DEFERRED_START_MS);
        log.info(
          { reason: await Promise.race([stop.requested, watch.loss, erasureRequested, homeReplaced]) },
          'stopping',
        );
      } catch (error) {
        // Reported first, because closing can take a long time if the disk is not available.
        await reportFatalError(error);
        throw error;
      } finally {
        clearTimeout(deferredStart);
        watch.close();
        desktop.close();
        await pda.close();
      }
    }
  } finally {
    stop.unsubscribe();
    process.off('unhandledRejection', onUnhandledRejection);
  }
};

const describeCounts = (added: number, present: number, updated: number): string =>
  `${added} added, ${present} already present${updated === 0 ? '' : `, ${updated} updated`}`;

const importFiles = async (
  files: string[],
  options: { home: string; endpoint?: string; format?: ImportFormat; only?: string[] },
  command: Command,
): Promise<void> => {
  if (options.format !== undefined && options.endpoint === undefined)
    command.error(
      "error: option '--format <format>' requires '--endpoint <ns/path>'. The format of an export of another service is always detected.",
    );
  const missingFile = files.find((file) => !existsSync(file));
  if (missingFile !== undefined) throw new Failure('not_found', `The file ${missingFile} does not exist.`);
  const { endpoint } = options;
  const [first = '', ...others] = files;
  if (endpoint !== undefined && others.length > 0)
    throw new Failure('invalid_input', 'Only one file at a time can be imported into an endpoint.');
  const controller = new AbortController();
  const stop = (): void => controller.abort('stopping');
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
  let lastProgressAt = 0;
  const work = withOwner(options.home, (pda) => {
    const importOptions: Parameters<Pda['imports']['importExport']>[1] = {
      signal: controller.signal,
      onProgress: ({ added, skipped, bytes_read: bytesRead }, size) => {
        if (!process.stderr.isTTY || Date.now() - lastProgressAt < PROGRESS_INTERVAL_MS) return;
        lastProgressAt = Date.now();
        process.stderr.write(
          `\r${Math.floor((100 * bytesRead) / Math.max(1, size))} %  ${added} added, ${skipped} already present `,
        );
      },
    };
    if (endpoint === undefined)
      return pda.imports.importExport(files, {
        ...importOptions,
        ...(options.only === undefined ? {} : { kinds: options.only }),
      });
    return pda.imports.importFile(first, endpoint, {
      ...importOptions,
      ...(options.format === undefined ? {} : { format: options.format }),
    });
  });
  const job = await work.finally(() => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  print(describeCounts(job.added, job.skipped, job.changed));
  for (const { endpoint: kind, added, same, changed } of job.kinds)
    print(`  ${kind}: ${describeCounts(added, same, changed)}`);
  if (job.problems.count > 0) printError(`entries that could not be read: ${job.problems.count}`);
  for (const { position, problem } of job.problems.first) printError(`  ${position}: ${problem}`);
  if (job.state === 'running') throw new Failure('wrong_state', 'Stopped. Run the same command again to resume.');
  if (job.error !== null) {
    const linePrefix = job.error.line === null ? '' : `line ${job.error.line}: `;
    const problem = job.error.problem.replace(/\.$/u, '');
    throw new Failure('invalid_input', `${linePrefix}${problem}. Everything before it was stored.`);
  }
};

const exportEndpoint = (options: {
  home: string;
  endpoint: string;
  format: 'ndjson' | 'csv';
  to?: string;
}): Promise<void> =>
  withOwner(options.home, async (pda) => {
    const content = pda.exports.stream(options.endpoint, options.format);
    const { to } = options;
    if (to === undefined) await pipeline(content, process.stdout, { end: false });
    else if (existsSync(to)) throw new Failure('already_exists', `${to} already exists. Choose another name.`);
    else await writeWhenComplete(to, (file) => file.writeFile(content));
  });

const buildProgram = (): Command => {
  const program = new Command('pda')
    .description('A server of your own for your own data.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError();
  const addHomeCommand = (parent: Command, name: string, description: string): Command =>
    parent.command(name).description(description).requiredOption('--home <dir>', 'folder of the PDA');

  addHomeCommand(program, 'init', 'create a PDA without the wizard')
    .requiredOption('--name <name>', 'name of the PDA', parseOption(pdaNameSchema))
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action(async (options: { home: string; name: string }) => {
      const password = await readPassword();
      await withPda(options.home, (pda) => pda.owner.init(options.name, password));
      print(`PDA ${options.name} created in ${options.home}`);
    });

  addHomeCommand(program, 'serve', 'run a PDA')
    .option('--port <n>', 'port on this machine; 0 picks a free one; default: the previous port', parsePort)
    .option('--public-url <url>', 'public address of the PDA', parseBaseUrl)
    .action(serve);

  addHomeCommand(
    program,
    'import',
    'store an export of another service (docs/importers.md), or the contents of a JSON, GeoJSON, TopoJSON, NDJSON or CSV file',
  )
    .option(
      '--endpoint <ns/path>',
      'endpoint for the elements of a JSON, GeoJSON, TopoJSON, NDJSON or CSV file',
      parseOption(endpointSchema),
    )
    .addOption(
      new Option('--format <format>', 'format of the file for --endpoint; default: detected').choices([
        'json',
        'geojson',
        'topojson',
        'ndjson',
        'csv',
      ]),
    )
    .addOption(
      new Option('--only <kinds...>', 'endpoints to import from an export; default: all').conflicts('endpoint'),
    )
    .argument('<files...>')
    .action(importFiles);

  addHomeCommand(program, 'export', 'write the records of an endpoint')
    .requiredOption('--endpoint <ns/path>', 'endpoint of the records', parseOption(endpointSchema))
    .addOption(new Option('--format <format>', 'format of the file').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--to <file>', 'new file; default: standard output')
    .action(exportEndpoint);

  const functions = program.command('function').description('install, remove, list and try functions');
  addHomeCommand(functions, 'install', 'install a function package')
    .argument('<dir-or-zip>')
    .action((path: string, options: { home: string }) => withOwner(options.home, (pda) => installFunction(pda, path)));
  addHomeCommand(functions, 'remove', 'remove a function package; its records stay')
    .argument('<id>')
    .action((id: string, options: { home: string }) => withOwner(options.home, (pda) => removeFunction(pda, id)));
  addHomeCommand(functions, 'list', 'list the functions of this PDA').action((options: { home: string }) =>
    withOwner(options.home, async (pda) => listFunctions(pda)),
  );
  addHomeCommand(functions, 'try', 'run a package on the data of this PDA without saving the output')
    .argument('<dir-or-zip>')
    .action((path: string, options: { home: string }) => withOwner(options.home, (pda) => tryFunction(pda, path)));

  const copies = program.command('copy').description('copy and restore the database');
  const copyNameOption = ['--name <name>', 'name of the copy: letters, digits, dots, hyphens and underscores'] as const;

  addHomeCommand(copies, 'create', 'copy the database of a stopped PDA; only the two newest copies are kept')
    .requiredOption(...copyNameOption)
    .action(async (options: { home: string; name: string }) => createCopyOf(options.home, options.name));
  addHomeCommand(copies, 'restore', 'restore a copy if this version cannot open the current database')
    .requiredOption(...copyNameOption)
    .action(async (options: { home: string; name: string }) => restoreCopyOf(options.home, options.name));

  addBackupCommands(program);
  addTransferCommands(program, withOwner);
  addReceiptCommands(program);

  addHomeCommand(program, 'verify', 'check the integrity of the whole database').action((options: { home: string }) =>
    withExistingPda(options.home, async (pda) => {
      const problems = await pda.verify();
      if (problems.length > 0) throw new Failure('internal_error', `The database is damaged: ${problems[0] ?? ''}`);
      print('the database is sound');
    }),
  );

  addHomeCommand(program, 'password', 'set a new password on this machine; all sessions end')
    .requiredOption('--password-stdin', 'read the new password from standard input')
    .action(async (options: { home: string }) => {
      const password = await readPassword();
      await withOwner(options.home, (pda) => pda.owner.resetPassword(password));
      print('password changed; every session has ended');
    });

  const secondFactor = program.command('second-factor').description('manage the second factor on this machine');
  addHomeCommand(secondFactor, 'off', 'remove the authenticator app, passkeys and recovery codes').action(
    async (options: { home: string }) => {
      const wasOn = await withOwner(options.home, (pda) => pda.secondFactor.reset());
      print(wasOn ? 'second factor is off; the password is enough' : 'second factor was already off');
    },
  );

  return program;
};

/** Runs the command line of the PDA. Resolves with the exit code. */
export const main = (argv: readonly string[]): Promise<number> => runCommandLine(buildProgram(), argv);
