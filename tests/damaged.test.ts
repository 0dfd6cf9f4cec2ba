import Sqlite from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { seededRandom } from '../server/pda/account/examples/data-rules.ts';
import { createPda, type Pda } from '../server/pda/pda.ts';
import { StorageProblem } from '../server/pda/storage/storage-problem.ts';
import { silentLog } from '../server/platform/log.ts';
import { errorBodySchema } from '../server/wire/errors.ts';
import { testTimeout } from './support/long-run.ts';
import { newFolder, newHome, removeFolders } from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';

/**
 * Number of damaged databases; `npm run test:long` uses more. With 77 databases, each kind of damage occurs in one that
 * is read completely, and in one that is opened after an unclean stop.
 */
const DATABASE_COUNT = Number(process.env['PDA_DAMAGED'] ?? 12);
const RECORD_COUNT = 1000;
/**
 * Only every n-th database is read completely if it opens, because a sign-in is expensive. The interval is coprime to
 * the number of damage kinds, so that each kind is covered.
 */
const READ_EVERY = 11;
/**
 * Every n-th database is opened as if the last stop had been unclean. This interval is coprime to the number of kinds,
 * too.
 */
const UNCLEAN_EVERY = 6;

afterAll(removeFolders);

// A seeded generator, so that each run damages the same places.
const random = seededRandom(5);
const randomBelow = (limit: number): number => Math.floor(random() * limit);

/**
 * Kinds of damage that bad disks, truncated copies and other programs cause. Each function damages the file and returns
 * a description of the damage.
 */
const DAMAGE_KINDS: readonly ((file: string, bytes: Buffer) => string)[] = [
  (file, bytes) => {
    const offset = randomBelow(bytes.length);
    bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << randomBelow(8)), offset);
    writeFileSync(file, bytes);
    return `one bit at ${offset}`;
  },
  (file, bytes) => {
    const offset = 8192 * randomBelow(Math.floor(bytes.length / 8192));
    writeFileSync(file, bytes.fill(0, offset, offset + 8192));
    return `a page of zeros at ${offset}`;
  },
  (file, bytes) => {
    const [sourceOffset, targetOffset] = [
      8192 * randomBelow(Math.floor(bytes.length / 8192)),
      8192 * randomBelow(Math.floor(bytes.length / 8192)),
    ];
    bytes.copy(bytes, targetOffset, sourceOffset, sourceOffset + 8192);
    writeFileSync(file, bytes);
    return `the page at ${sourceOffset} copied to ${targetOffset}`;
  },
  (file, bytes) => {
    const length = randomBelow(bytes.length);
    truncateSync(file, length);
    return `cut at ${length}`;
  },
  (file, bytes) => {
    const offset = randomBelow(bytes.length - 600);
    for (let index = offset; index < offset + 512; index += 1) bytes.writeUInt8(randomBelow(256), index);
    writeFileSync(file, bytes);
    return `512 bytes of noise at ${offset}`;
  },
  (file, bytes) => {
    const offset = randomBelow(100);
    bytes.writeUInt8(randomBelow(256), offset);
    writeFileSync(file, bytes);
    return `byte ${offset} of the header`;
  },
  (file, bytes) => {
    writeFileSync(`${file}-wal`, bytes.subarray(0, 8192 * (1 + randomBelow(4))));
    return 'an invalid write-ahead log';
  },
];

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Returns true if SQLite's own check, as performed at the start after an unclean stop, finds no damage. */
const isSound = (file: string): boolean => {
  const copy = `${file}.check`;
  cpSync(file, copy);
  try {
    const db = new Sqlite(copy, { readonly: true });
    try {
      return db.pragma('quick_check', { simple: true }) === 'ok';
    } finally {
      db.close();
    }
  } catch {
    return false;
  } finally {
    rmSync(copy);
  }
};

const createTemplateHome = async (): Promise<string> => {
  const home = await newHome();
  const pda = await createPda({ home, log: silentLog() });
  const records = Array.from({ length: RECORD_COUNT }, (_, n) => ({
    endpoint: `load/${n % 7}`,
    data: JSON.stringify({ n, text: `word${n % 97} `.repeat(1 + (n % 30)) }),
  }));
  await pda.records.create(records, { kind: 'owner', name: 'owner' });
  await pda.close();
  return home;
};

const startPda = async (home: string): Promise<{ pda: Pda; url: string }> => {
  const pda = await createPda({ home, log: silentLog() });
  try {
    return { pda, url: (await pda.listen(0)).url };
  } catch (error) {
    await pda.close();
    throw error;
  }
};

/** Sends requests to a PDA with a damaged database. Each must succeed, be refused with a message or be aborted. */
const sendRequests = async (pda: Pda, url: string): Promise<void> => {
  const login = await fetch(`${url}/users/access_token`, {
    headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
  });
  const text = await login.text();
  const responses: Promise<Response>[] = [];
  if (login.ok) {
    const headers = { 'x-auth-token': (JSON.parse(text) as { accessToken: string }).accessToken };
    for (let number = 0; number < 7; number += 1)
      responses.push(fetch(`${url}/api/v2.6/data/load/${number}?take=1000`, { headers }));
    responses.push(
      fetch(`${url}/api/v2.6/data/load/0`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"n":-1}',
      }),
    );
  } else errorBodySchema.parse(JSON.parse(text));
  for (const response of await Promise.all(responses)) {
    // Many records are streamed. Damage found midway aborts the response, so that a partial one cannot pass for
    // complete. Content is returned as stored: a character changed by a bad disk is not detected.
    const body = await response.text().catch(() => undefined);
    if (!response.ok && body !== undefined) errorBodySchema.parse(JSON.parse(body));
  }
  await pda.verify().catch((error: unknown) => expect(String(error)).toMatch(/malformed|not a database|disk I\/O/u));
};

it(
  `more than 95% of ${DATABASE_COUNT} damaged databases are refused with a message or work`,
  { timeout: testTimeout(180_000 + DATABASE_COUNT * 2000) },
  async () => {
    const template = await createTemplateHome();
    const originalHash = hashOf(join(template, 'pda.sqlite'));
    const unexpectedErrors: string[] = [];
    const counts = { refused: 0, untouched: 0, opened: 0, unsound: 0 };
    for (let round = 0; round < DATABASE_COUNT; round += 1) {
      const home = join(newFolder(), 'home');
      cpSync(template, home, { recursive: true });
      const file = join(home, 'pda.sqlite');
      const damage = DAMAGE_KINDS[round % DAMAGE_KINDS.length]?.(file, readFileSync(file)) ?? '';
      // After an unclean stop, the next start checks the whole database.
      const isUnclean = round % UNCLEAN_EVERY === 0;
      if (isUnclean) writeFileSync(join(home, 'running'), '');
      const walHash = existsSync(`${file}-wal`) ? hashOf(`${file}-wal`) : undefined;
      const damagedHash = hashOf(file);
      const isUnsound = isUnclean && walHash === undefined && !isSound(file);
      let errorText = '';
      const server = await startPda(home).catch((error: unknown) => {
        // A replaced page may contain anything, and only the code that reads it detects the damage.
        if (!(error instanceof StorageProblem)) unexpectedErrors.push(`${damage}: ${String(error)}`);
        errorText = String(error);
        return undefined;
      });
      if (server === undefined) {
        counts.refused += 1;
        // A page that is replaced by itself is not damaged.
        expect(damagedHash === originalHash && walHash === undefined, `refused although undamaged: ${damage}`).toBe(
          false,
        );
        // If the damage is found only after a write, the message does not state that nothing was changed.
        if (!errorText.includes('not changed')) continue;
        counts.untouched += 1;
        expect(hashOf(file), `changed although refused: ${damage}`).toBe(damagedHash);
        if (walHash !== undefined) expect(hashOf(`${file}-wal`), damage).toBe(walHash);
        continue;
      }
      counts.opened += 1;
      if (isUnsound) counts.unsound += 1;
      try {
        // The check may still be running when the first requests are accepted. Requests are refused once damage is
        // found.
        if (isUnsound)
          await expect
            .poll(async () => (await fetch(`${server.url}/publickey`)).status, {
              message: `requests are still accepted: ${damage}`,
            })
            .toBe(503);
        if (round % READ_EVERY === 0) await sendRequests(server.pda, server.url);
      } finally {
        await server.pda.close();
      }
    }
    console.log(JSON.stringify(counts), unexpectedErrors);
    expect(unexpectedErrors.length, unexpectedErrors.join('\n')).toBeLessThan(DATABASE_COUNT / 20);
    expect(Math.min(counts.untouched, counts.opened)).toBeGreaterThan(DATABASE_COUNT / 10);
  },
);
