import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { endProcesses, newFolder, newHome, removeFolders, startServer } from './support/server-process.ts';

/** About a tenth more than there are: loading is most of a start, and a start has a bound. */
const MOST = 480;

/** Writes down what a process has loaded when the first call comes in. */
const noteLoaded = (file: string): string => `
  import { subscribe, unsubscribe } from 'node:diagnostics_channel';
  import { writeFileSync } from 'node:fs';
  import module from 'node:module';
  const loaded = [];
  module.registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  const write = () => {
    unsubscribe('http.server.request.start', write);
    writeFileSync(${JSON.stringify(file)}, loaded.join('\\n'));
  };
  subscribe('http.server.request.start', write);
`;

afterAll(async () => {
  delete process.env['NODE_OPTIONS'];
  delete process.env['PDA_FROM_SOURCES'];
  await endProcesses();
  removeFolders();
});

it(
  'a start loads nothing that only work, an older database or another language needs',
  { timeout: 30_000 },
  async () => {
    const home = await newHome();
    const file = join(newFolder(), 'loaded');
    process.env['NODE_OPTIONS'] = `--import data:text/javascript,${encodeURIComponent(noteLoaded(file))}`;
    process.env['PDA_FROM_SOURCES'] = '1';
    await startServer(home);
    delete process.env['NODE_OPTIONS'];
    delete process.env['PDA_FROM_SOURCES'];
    const loaded = readFileSync(file, 'utf8').split('\n');
    expect(loaded.some((url) => url.endsWith('/server/pda/pda.ts'))).toBe(true);
    expect(loaded.length).toBeLessThan(MOST);
    const unneeded =
      /\/zod\/v4\/locales\/(?!en\.js)|\/storage\/migrations\/|\/imports\/(?:runner|known-runner|look-at-file|undo|preview|csv-writer)\.ts|\/imports\/known\/(?!found)|\/postal-mime\/|\/openapi\.ts|\/undici\/|\/jose\/|\/argon2\//u;
    expect(loaded.filter((url) => unneeded.test(url))).toStrictEqual([]);
  },
);
