import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../server/platform/log.ts';
import { createPda } from '../server/pda/pda.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { findInconsistencies, readDatabase } from './support/database-check.ts';
import { waitForImport, exportEndpoint, readImportJob, startImport, uploadImport } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runInProcess } from './support/run-command.ts';
import {
  spawnServer,
  killProcesses,
  newFolder,
  newHome,
  pause,
  removeFolders,
  startCommand,
  startServer,
  until,
  type CommandResult,
} from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';

// Long operations that are interrupted either resume or leave no trace.

/** Number of kills in each test that kills repeatedly. */
const KILLS = Number(process.env['PDA_KILLS'] ?? 1);

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

/** Timeout of a test. Each test starts several processes, which is slow on a busy machine. */
const TIMEOUT_MS = testTimeout(600_000);

/** Enough records for a kill midway through the import. */
const IMPORT_RECORDS = 15_000;

/** Many records with duplicates as NDJSON. Resuming at a wrong position would change their number or order. */
const ndjsonLines = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ n: index % 5000, text: 'x'.repeat(index % 50) })}\n`,
  ).join('');

describe('an interrupted import', { timeout: TIMEOUT_MS }, () => {
  it('resumes at the next start exactly where it stopped, however often the server is killed', async () => {
    const content = ndjsonLines(IMPORT_RECORDS);
    let home: string;
    let importId: string;
    let killCount = 0;
    // Repeats the import if it ended before the first kill, which can happen if this process is slow.
    do {
      home = await newHome();
      let serverToKill = await startServer(home);
      ({ importId } = await uploadImport(serverToKill, 'long.ndjson', Buffer.from(content)));
      await startImport(serverToKill, importId, { endpoint: 'load/long', format: 'ndjson' });
      for (let addedCount = 0; killCount < KILLS;) {
        if (killCount > 0) serverToKill = await startServer(home);
        const previousCount = addedCount;
        const server = serverToKill;
        const job = await until(async () => {
          const currentJob = await readImportJob(server, importId);
          return (currentJob.state !== 'running' || currentJob.added > previousCount) && currentJob;
        }, 'the import has added records');
        ({ added: addedCount } = job);
        if (job.state !== 'running') break;
        await serverToKill.kill();
        killCount += 1;
        expect(findInconsistencies(home)).toEqual([]);
      }
      await serverToKill.kill();
    } while (killCount === 0);
    const server = await openHome(home);
    const job = await waitForImport(server, importId);
    expect(job).toMatchObject({ state: 'done', added: IMPORT_RECORDS, skipped: 0, error: null });
    expect((await exportEndpoint(server, 'load/long')) === content, 'same records in the same order').toBe(true);
    expect(findInconsistencies(home)).toEqual([]);
    await until(() => readdirSync(join(home, 'imports')).length === 0, 'the uploaded file is gone');
  });

  it.skipIf(!IS_THOROUGH_RUN)('resumes with the same command after the command was killed or interrupted', async () => {
    const file = join(newFolder(), 'long.ndjson');
    const content = ndjsonLines(IMPORT_RECORDS);
    writeFileSync(file, content);
    let home: string;
    let args: string[];
    let interruptedRun: CommandResult;
    const countStored = (): number =>
      readDatabase(home, (db) => Number(db.prepare('SELECT count(*) FROM records').pluck().get()));
    // Repeats both commands if one stored all records before its signal, which can happen if this process is slow.
    do {
      home = await newHome();
      args = ['import', '--home', home, '--endpoint', 'load/long', file];
      const firstRun = startCommand(args);
      await until(() => countStored() > 0, 'the first records are stored');
      firstRun.kill('SIGKILL');
      await firstRun.finished;
      const countAtKill = countStored();
      const secondRun = startCommand(args);
      await until(() => countAtKill === IMPORT_RECORDS || countStored() > countAtKill, 'the import has added records');
      secondRun.kill('SIGINT');
      interruptedRun = await secondRun.finished;
    } while (countStored() === IMPORT_RECORDS);
    expect(interruptedRun.code).toBe(1);
    expect(interruptedRun.stdout).toMatch(/^\d+ added, 0 already present\n$/u);
    expect(interruptedRun.stderr).toBe('Stopped. Run the same command again to resume.\n');
    expect(existsSync(join(home, 'running')), 'the command stopped gracefully').toBe(false);

    expect(await runInProcess(args)).toEqual({
      code: 0,
      signal: null,
      stdout: `${IMPORT_RECORDS} added, 0 already present\n`,
      stderr: '',
    });
    const exportResult = await runInProcess(['export', '--home', home, '--endpoint', 'load/long']);
    expect(exportResult.stdout === content, 'the same records in the same order').toBe(true);
    expect(findInconsistencies(home)).toEqual([]);
  });
});

describe('a killed server', { timeout: TIMEOUT_MS }, () => {
  /** A home with many records, which tests copy. */
  let template = '';
  beforeAll(async () => {
    template = await newHome();
    const pda = await createPda({ home: template, log: silentLog() });
    const data = Array.from({ length: 8000 }, (_, n) => JSON.stringify({ n, word: `w${n % 97}` }));
    for (const [endpoint, texts] of [
      ['load/many', data],
      ['load/kept', data.slice(0, 100)],
    ] as const)
      await pda.records.create(
        texts.map((text) => ({ endpoint, data: text })),
        { kind: 'owner', name: 'owner' },
      );
    await pda.close();
  });
  const copyTemplate = (): string => {
    const home = join(newFolder(), 'home');
    cpSync(template, home, { recursive: true });
    return home;
  };

  it.skipIf(!IS_THOROUGH_RUN)(
    'resumes an index build at the next start, and the query finds all matching records',
    async () => {
      const home = copyTemplate();
      const filters = [{ field: 'n', operator: { operator: 'between', lower: 99, upper: 200 } }];
      const entry = { endpoint: 'load/many', filters };
      for (let kill = 0; kill < KILLS; kill += 1) {
        const serverToKill = await startServer(home);
        const response = await serverToKill.call('PUT', '/api/v2.6/combinator/some', { json: [entry] });
        expect(response.status).toBe(200);
        await pause(Math.random() * 30);
        await serverToKill.kill();
        expect(findInconsistencies(home)).toEqual([]);
      }
      const server = await openHome(home);
      const isIndexReady = (): boolean =>
        readDatabase(home, (db) => db.prepare('SELECT ready FROM query_indexes').pluck().get() === 1);
      await until(isIndexReady, 'the index is ready');
      const reply = await server.call('GET', '/api/v2.6/combinator/some');
      expect(reply.json).toHaveLength(100);
      await server.close();
      expect(await runInProcess(['verify', '--home', home])).toMatchObject({ code: 0 });
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('resumes the removal of a deleted endpoint and shows none of its records', async () => {
    const home = copyTemplate();
    const serverToKill = await startServer(home);
    expect((await serverToKill.call('DELETE', '/api/v2.6/data/load/many')).status).toBe(200);
    await serverToKill.kill();
    const server = await openHome(home);
    expect((await server.call('GET', '/api/v2.6/data/sources')).json).toEqual({ load: ['kept'] });
    expect((await server.call('GET', '/api/v2.6/data/load/many')).json).toEqual([]);
    await server.close();
    const pda = await createPda({ home, log: silentLog() });
    await pda.deletions.sweep();
    await pda.close();
    expect(findInconsistencies(home)).toEqual([]);
    expect(readDatabase(home, (db) => db.prepare('SELECT count(*) FROM records').pluck().get())).toBe(100);
  });

  it.skipIf(!IS_THOROUGH_RUN)('leaves a usable home if killed during the creation of the home', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const home = join(newFolder(), 'home');
      const startingServer = spawnServer(home);
      const creation = until(() => existsSync(home), 'the home exists').then(() => pause(200 * Math.random()));
      await Promise.race([creation, startingServer.ready]);
      const exited = once(startingServer.child, 'exit');
      startingServer.child.kill('SIGKILL');
      await exited;
      const pda = await createPda({ home, log: silentLog() });
      await pda.owner.init(OWNER.name, OWNER.password);
      await pda.close();
      expect(findInconsistencies(home)).toEqual([]);
    }
  });

  it.skipIf(!IS_THOROUGH_RUN)('has a complete owner or none if killed during the setup', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const home = join(newFolder(), 'home');
      const startingServer = spawnServer(home);
      const server = await startingServer.ready;
      const code = await until(
        () => startingServer.output().match(/setup\?code=([\w-]+)/u)?.[1],
        'the code is printed',
      );
      const json = { code, name: OWNER.name, password: OWNER.password };
      const acknowledgement = server.call('POST', '/api/v2.6/owner/setup', { json }).then(
        (reply) => reply.status === 201,
        () => false,
      );
      await pause(150 * Math.random());
      await server.kill();
      const pda = await createPda({ home, log: silentLog() });
      const isSetUp = pda.owner.isSetUp();
      if (await acknowledgement) expect(isSetUp).toBe(true);
      const from = { address: '', host: '127.0.0.1', local: true, userAgent: '' };
      if (isSetUp) expect((await pda.owner.signIn(OWNER.name, OWNER.password, from)).accessToken).not.toBe('');
      await pda.close();
      expect(findInconsistencies(home)).toEqual([]);
    }
  });
});
