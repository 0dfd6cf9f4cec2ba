import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createEmbeddedServer, type EmbeddedServer } from './embedded-server.test-support.ts';

// A process that runs a PostgreSQL server for tests. It reads commands from stdin (`start`, `stop`, `template`), one
// per line, and responds to each with a line of JSON. When its stdin closes, it removes all its files and exits, so
// that a killed test run leaves no server behind.

const folder = await mkdtemp(join(tmpdir(), 'pda-databases-'));
let server: EmbeddedServer | undefined;

const start = async (): Promise<unknown> => {
  server ??= await createEmbeddedServer({ name: 'pda-postgres', connections: 200, durable: false });
  await server.start();
  return { url: server.url, folder };
};

const createTemplate = async (): Promise<unknown> => {
  const path = join(folder, 'template');
  await mkdir(path);
  // Imported here, because many test runs do not need the template.
  const { PGlite } = await import('@electric-sql/pglite');
  const database = new PGlite({ dataDir: join(path, 'pglite') });
  await database.waitReady;
  await database.close();
  return { folder, template: path };
};

const COMMANDS: Record<string, () => Promise<unknown>> = {
  start,
  template: createTemplate,
  stop: async () => {
    await server?.stop();
    return {};
  },
};

const lines = createInterface({ input: process.stdin });
// A signal must not end this process before it has removed its files.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => lines.close());
for await (const line of lines) {
  try {
    process.stdout.write(`${JSON.stringify({ done: (await COMMANDS[line]?.()) ?? {} })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ failed: `${String(error)} ${server?.output() ?? ''}` })}\n`);
  }
}
await server?.stop();
await server?.remove();
await rm(folder, { recursive: true, force: true });
process.exit(0);
