import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../server/platform/log.ts';
import { createPda } from '../server/pda/pda.ts';
import { disagreements, lookInto } from './support/database-check.ts';
import { endOfImport, exported, lookAt, runUploaded, upload } from './support/import-over-http.ts';
import {
  beginServer,
  endProcesses,
  initHome,
  newFolder,
  newHome,
  pause,
  removeFolders,
  runCommand,
  startCommand,
  startServer,
  until,
  type ServerProcess,
} from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';

/** What takes long is cut off in the middle, and goes on or is as if it had never begun. */

afterEach(endProcesses);
afterAll(removeFolders);

/** Many records of which not all differ, as NDJSON: an import that goes on at a wrong place would show in their number or order. */
const lines = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ n: index % 5000, text: 'x'.repeat(index % 50) })}\n`,
  ).join('');

const fill = async (server: ServerProcess, endpoint: string, count: number): Promise<void> => {
  const size = 10_000;
  for (let from = 0; from < count; from += size) {
    const json = Array.from({ length: Math.min(size, count - from) }, (_, index) => ({
      n: from + index,
      word: `w${index % 97}`,
    }));
    expect((await server.call('POST', `/api/v2.6/data/${endpoint}`, { json })).status).toBe(201);
  }
};

describe('an import that is cut off', () => {
  it('goes on by itself at the next start, exactly where it was, however often the server is killed', async () => {
    const content = lines(40_000);
    const home = await newHome();
    let server = await startServer(home);
    const { importId } = await upload(server, 'long.ndjson', Buffer.from(content));
    await runUploaded(server, importId, { endpoint: 'load/long', format: 'ndjson' });
    let cutOff = 0;
    for (let added = 0, kill = 0; kill < 4; kill += 1) {
      const from = added;
      const job = await until(async () => {
        const job = await lookAt(server, importId);
        return (job.state !== 'running' || job.added > from) && job;
      }, 'the import went on');
      ({ added } = job);
      if (job.state !== 'running') break;
      await server.kill();
      cutOff += 1;
      expect(disagreements(home)).toEqual([]);
      server = await startServer(home);
    }
    expect(cutOff).toBeGreaterThan(0);
    const job = await endOfImport(server, importId);
    expect(job).toMatchObject({ state: 'done', added: 40_000, skipped: 0, error: null });
    expect((await exported(server, 'load/long')) === content, 'the same records in the same order').toBe(true);
    expect(disagreements(home)).toEqual([]);
    expect(readdirSync(join(home, 'imports')), 'the uploaded file is gone').toEqual([]);
  });

  it('goes on with the same command after the command was killed, and after it was interrupted', async () => {
    const home = await newHome();
    const file = join(newFolder(), 'long.ndjson');
    const content = lines(40_000);
    writeFileSync(file, content);
    const args = ['import', '--home', home, '--endpoint', 'load/long', file];
    const stored = (): number =>
      lookInto(home, (db) => Number(db.prepare('SELECT count(*) FROM records').pluck().get()));

    const first = startCommand(args);
    const atKill = await until(() => stored(), 'the first records are stored');
    first.kill('SIGKILL');
    expect(await first.finished).toMatchObject({ signal: 'SIGKILL' });

    const second = startCommand(args);
    await until(() => stored() > atKill, 'the import went on');
    second.kill('SIGINT');
    const interrupted = await second.finished;
    expect(interrupted.code).toBe(1);
    expect(interrupted.stdout).toMatch(/^\d+ added, 0 here already\n$/u);
    expect(interrupted.stderr).toBe('Stopped. Run the same command again to go on from here.\n');
    expect(existsSync(join(home, 'running')), 'the stop was in order').toBe(false);

    expect(await runCommand(args)).toEqual({
      code: 0,
      signal: null,
      stdout: '40000 added, 0 here already\n',
      stderr: '',
    });
    const out = await runCommand(['export', '--home', home, '--endpoint', 'load/long']);
    expect(out.stdout === content, 'the same records in the same order').toBe(true);
    expect(disagreements(home)).toEqual([]);
  });
});

describe('a server that is killed', () => {
  it('while an index is built, builds it at the next start and answers the same', async () => {
    const home = await newHome();
    let server = await startServer(home);
    await fill(server, 'load/many', 40_000);
    const filters = [{ field: 'n', operator: { operator: 'between', lower: 99, upper: 200 } }];
    const entry = { endpoint: 'load/many', filters };
    for (let kill = 0; kill < 3; kill += 1) {
      const answer = await server.call('PUT', '/api/v2.6/combinator/some', { json: [entry] });
      expect(answer.status).toBe(200);
      await pause(Math.random() * 60);
      await server.kill();
      expect(disagreements(home)).toEqual([]);
      server = await startServer(home);
    }
    const ready = (): boolean =>
      lookInto(home, (db) => db.prepare('SELECT ready FROM earned_indexes').pluck().get() === 1);
    await until(ready, 'the index is ready');
    const found = await server.call('GET', '/api/v2.6/combinator/some');
    expect(found.json).toHaveLength(100);
    await server.stop();
    expect(await runCommand(['verify', '--home', home])).toMatchObject({ code: 0 });
  });

  it('while the rows of a deleted endpoint are removed, removes the rest later and shows none of them', async () => {
    const home = await newHome();
    let server = await startServer(home);
    await fill(server, 'load/many', 30_000);
    await fill(server, 'load/kept', 100);
    expect((await server.call('DELETE', '/api/v2.6/data/load/many')).status).toBe(200);
    await server.kill();
    server = await startServer(home);
    expect((await server.call('GET', '/api/v2.6/data/sources')).json).toEqual({ load: ['kept'] });
    expect((await server.call('GET', '/api/v2.6/data/load/many')).json).toEqual([]);
    await server.stop();
    const pda = await createPda({ home, log: silentLog() });
    await pda.deletions.sweep();
    await pda.close();
    expect(disagreements(home)).toEqual([]);
    expect(lookInto(home, (db) => db.prepare('SELECT count(*) FROM records').pluck().get())).toBe(100);
  });

  it('while it makes its home, starts again as if nothing had been', async () => {
    for (const wait of [100, 200, 300, 400]) {
      const home = join(newFolder(), 'home');
      const begun = beginServer(home);
      await Promise.race([pause(wait * (0.8 + 0.4 * Math.random())), begun.ready.catch(() => undefined)]);
      begun.child.kill('SIGKILL');
      await initHome(home);
      expect(disagreements(home)).toEqual([]);
    }
  });

  it('while the owner is made, has a whole owner or none', async () => {
    for (const wait of [0, 60, 150]) {
      const home = join(newFolder(), 'home');
      const begun = beginServer(home);
      const server = await begun.ready;
      const code = await until(() => begun.output().match(/setup\?code=([\w-]+)/u)?.[1], 'the code is printed');
      const json = { code, name: OWNER.name, password: OWNER.password };
      const answered = server.call('POST', '/api/v2.6/owner/setup', { json }).then(
        (reply) => reply.status === 201,
        () => false,
      );
      await pause(wait);
      await server.kill();
      const next = await beginServer(home).ready;
      const state = (await next.call('GET', '/api/v2.6/owner/setup')).json as { state: string };
      if (await answered) expect(state.state).toBe('done');
      if (state.state === 'done') await next.signIn();
      await next.kill();
      expect(disagreements(home)).toEqual([]);
    }
  });
});
