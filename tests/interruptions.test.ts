import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../server/platform/log.ts';
import { createPda } from '../server/pda/pda.ts';
import { disagreements, lookInto } from './support/database-check.ts';
import { endOfImport, exported, lookAt, runUploaded, upload } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runHere } from './support/run-command.ts';
import {
  beginServer,
  endProcesses,
  newFolder,
  newHome,
  pause,
  removeFolders,
  startCommand,
  startServer,
  until,
} from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';

/** What takes long is cut off in the middle, and goes on or is as if it had never begun. */

/** Kills of an import, which goes on where the one before went on, and of each other thing that is cut off. */
const KILLS_OF_IMPORT = Number(process.env['PDA_KILLS'] ?? 2);
const KILLS = Number(process.env['PDA_KILLS'] ?? 1);

afterEach(endProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

/** Enough records for a kill in the middle of the import. */
const IMPORTED = 15_000;

/** Many records of which not all differ, as NDJSON: an import that goes on at a wrong place would show in their number or order. */
const lines = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ n: index % 5000, text: 'x'.repeat(index % 50) })}\n`,
  ).join('');

describe('an import that is cut off', () => {
  it('goes on by itself at the next start, exactly where it was, however often the server is killed', async () => {
    const content = lines(IMPORTED);
    const home = await newHome();
    let killed = await startServer(home);
    const { importId } = await upload(killed, 'long.ndjson', Buffer.from(content));
    await runUploaded(killed, importId, { endpoint: 'load/long', format: 'ndjson' });
    let cutOff = 0;
    for (let added = 0; cutOff < KILLS_OF_IMPORT;) {
      if (cutOff > 0) killed = await startServer(home);
      const from = added;
      const job = await until(async () => {
        const job = await lookAt(killed, importId);
        return (job.state !== 'running' || job.added > from) && job;
      }, 'the import went on');
      ({ added } = job);
      if (job.state !== 'running') break;
      await killed.kill();
      cutOff += 1;
      expect(disagreements(home)).toEqual([]);
    }
    await killed.kill();
    expect(cutOff).toBeGreaterThan(0);
    const server = await openHome(home);
    const job = await endOfImport(server, importId);
    expect(job).toMatchObject({ state: 'done', added: IMPORTED, skipped: 0, error: null });
    expect((await exported(server, 'load/long')) === content, 'the same records in the same order').toBe(true);
    expect(disagreements(home)).toEqual([]);
    await until(() => readdirSync(join(home, 'imports')).length === 0, 'the uploaded file is gone');
  });

  it('goes on with the same command after the command was killed, and after it was interrupted', async () => {
    const home = await newHome();
    const file = join(newFolder(), 'long.ndjson');
    const content = lines(IMPORTED);
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

    expect(await runHere(args)).toEqual({
      code: 0,
      signal: null,
      stdout: `${IMPORTED} added, 0 here already\n`,
      stderr: '',
    });
    const out = await runHere(['export', '--home', home, '--endpoint', 'load/long']);
    expect(out.stdout === content, 'the same records in the same order').toBe(true);
    expect(disagreements(home)).toEqual([]);
  });
});

describe('a server that is killed', () => {
  /** A home with many records, which each test copies. */
  let full = '';
  beforeAll(async () => {
    full = await newHome();
    const pda = await createPda({ home: full, log: silentLog() });
    const data = Array.from({ length: 8000 }, (_, n) => JSON.stringify({ n, word: `w${n % 97}` }));
    for (const [endpoint, some] of [
      ['load/many', data],
      ['load/kept', data.slice(0, 100)],
    ] as const)
      await pda.records.create(
        some.map((text) => ({ endpoint, data: text })),
        { kind: 'owner', name: 'owner' },
      );
    await pda.close();
  });
  const fullHome = (): string => {
    const home = join(newFolder(), 'home');
    cpSync(full, home, { recursive: true });
    return home;
  };

  it('while an index is built, builds it at the next start and answers the same', async () => {
    const home = fullHome();
    const filters = [{ field: 'n', operator: { operator: 'between', lower: 99, upper: 200 } }];
    const entry = { endpoint: 'load/many', filters };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const killed = await startServer(home);
      const answer = await killed.call('PUT', '/api/v2.6/combinator/some', { json: [entry] });
      expect(answer.status).toBe(200);
      await pause(Math.random() * 30);
      await killed.kill();
      expect(disagreements(home)).toEqual([]);
    }
    const server = await openHome(home);
    const ready = (): boolean =>
      lookInto(home, (db) => db.prepare('SELECT ready FROM earned_indexes').pluck().get() === 1);
    await until(ready, 'the index is ready');
    const found = await server.call('GET', '/api/v2.6/combinator/some');
    expect(found.json).toHaveLength(100);
    await server.close();
    expect(await runHere(['verify', '--home', home])).toMatchObject({ code: 0 });
  });

  it('while the rows of a deleted endpoint are removed, removes the rest later and shows none of them', async () => {
    const home = fullHome();
    const killed = await startServer(home);
    expect((await killed.call('DELETE', '/api/v2.6/data/load/many')).status).toBe(200);
    await killed.kill();
    const server = await openHome(home);
    expect((await server.call('GET', '/api/v2.6/data/sources')).json).toEqual({ load: ['kept'] });
    expect((await server.call('GET', '/api/v2.6/data/load/many')).json).toEqual([]);
    await server.close();
    const pda = await createPda({ home, log: silentLog() });
    await pda.deletions.sweep();
    await pda.close();
    expect(disagreements(home)).toEqual([]);
    expect(lookInto(home, (db) => db.prepare('SELECT count(*) FROM records').pluck().get())).toBe(100);
  });

  it('while it makes its home, starts again as if nothing had been', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const home = join(newFolder(), 'home');
      const begun = beginServer(home);
      const isMade = until(() => existsSync(home), 'it has begun').then(() => pause(200 * Math.random()));
      await Promise.race([isMade, begun.ready]);
      const ended = once(begun.child, 'exit');
      begun.child.kill('SIGKILL');
      await ended;
      const pda = await createPda({ home, log: silentLog() });
      await pda.owner.init(OWNER.name, OWNER.password);
      await pda.close();
      expect(disagreements(home)).toEqual([]);
    }
  });

  it('while the owner is made, has a whole owner or none', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const home = join(newFolder(), 'home');
      const begun = beginServer(home);
      const server = await begun.ready;
      const code = await until(() => begun.output().match(/setup\?code=([\w-]+)/u)?.[1], 'the code is printed');
      const json = { code, name: OWNER.name, password: OWNER.password };
      const answered = server.call('POST', '/api/v2.6/owner/setup', { json }).then(
        (reply) => reply.status === 201,
        () => false,
      );
      await pause(150 * Math.random());
      await server.kill();
      const pda = await createPda({ home, log: silentLog() });
      const isThere = pda.owner.isSetUp();
      if (await answered) expect(isThere).toBe(true);
      const from = { address: '', host: '127.0.0.1', local: true, userAgent: '' };
      if (isThere) expect((await pda.owner.signIn(OWNER.name, OWNER.password, from)).accessToken).not.toBe('');
      await pda.close();
      expect(disagreements(home)).toEqual([]);
    }
  });
});
