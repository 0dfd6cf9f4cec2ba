import { join } from 'node:path';
import type { Command } from 'commander';
import envPaths from 'env-paths';
import { collectOption, listenForStop, parseBaseUrl, parsePort, parseProxyCount, print } from '../cli.ts';
import { createLog, type Log } from '../log.ts';
import { boundYoungGeneration } from './heap-limit.ts';

/** A command may wait longer for a busy database than a request may, because nothing else waits for it. */
export const COMMAND_DATABASE_LIMITS = { statementMs: 60_000, connectMs: 30_000 };

export type DatabaseLocation = { database?: string; home?: string };
export type ServeOptions = DatabaseLocation & { port: number; host: string; publicUrl?: string[]; proxies: number };

export const addDatabaseOptions = (command: Command): Command =>
  command
    .option('--database <url-or-dir>', 'postgres://… or a folder; default: DATABASE_URL')
    .option('--home <dir>', 'folder in which the embedded database is created, if no database is set');

export const addServeOptions = (command: Command): Command =>
  addDatabaseOptions(command)
    .option('--port <n>', 'port to listen on; 0 picks a free port', parsePort, 0)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--public-url <url>', 'public address of the service; repeatable', collectOption(parseBaseUrl))
    .option('--proxies <n>', 'number of trusted reverse proxies that set x-forwarded-for', parseProxyCount, 0);

/**
 * Returns the option, otherwise `DATABASE_URL`. If neither is set, logs a warning and returns the folder of an embedded
 * database.
 */
export const resolveDatabase = ({ database, home }: DatabaseLocation, application: string, log: Log): string => {
  const configuredDatabase = database ?? process.env['DATABASE_URL'];
  if (configuredDatabase !== undefined && configuredDatabase !== '') return configuredDatabase;
  const folder = join(home ?? envPaths(application, { suffix: '' }).data, 'database');
  log.warn({ folder }, 'using an embedded database for development, one process only; use --database in production');
  return folder;
};

/** Runs a command with a service. Does not log errors, because the command prints the failure. */
export const withService = async <Service extends { close(): Promise<void> }, Result>(
  open: (log: Log) => Promise<Service>,
  work: (service: Service) => Promise<Result>,
): Promise<Result> => {
  const service = await open(createLog({ level: process.env['PDA_LOG_LEVEL'] ?? 'fatal' }));
  try {
    return await work(service);
  } finally {
    await service.close();
  }
};

export const serveUntilStopped = async (
  name: string,
  open: (log: Log) => Promise<{ listen(port: number, host: string): Promise<{ url: string }>; close(): Promise<void> }>,
  { port, host }: { port: number; host: string },
): Promise<void> => {
  const log = createLog();
  // Registered before the database is opened, because the parent process may exit during a migration.
  const stop = listenForStop();
  const service = await open(log);
  try {
    const { url } = await service.listen(port, host);
    boundYoungGeneration();
    print(`${name} listening on ${url}`);
    log.info({ reason: await stop }, 'stopping');
  } finally {
    await service.close();
  }
};
