import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../platform/postgres/database.test-support.ts';
import { silentLog } from '../platform/log.ts';
import { createPda } from '../pda/pda.ts';
import { startNetwork } from './network.ts';
import { createApiClient, signIn } from './seed.ts';
import { IS_THOROUGH_RUN } from '../../tests/support/long-run.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'pda-network-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

it.skipIf(!IS_THOROUGH_RUN)('completes a PDA that an interrupted start left without an owner or records', async () => {
  const sandbox = join(home, 'interrupted');
  const unfinishedPda = await createPda({ home: join(sandbox, 'ada'), log: silentLog() });
  await unfinishedPda.close();
  const options = {
    home: sandbox,
    port: 0,
    databases: { exchange: await createTestDatabase(), contracts: await createTestDatabase() },
    pdas: [{ name: 'ada', owner: 'ada' }],
  };
  for (const start of ['first', 'second']) {
    const network = await startNetwork(options);
    const log = await readFile(join(sandbox, 'logs', 'ada.log'), 'utf8');
    const base = [...log.matchAll(/listening on (http:\S+)/gu)].at(-1)?.[1] ?? '';
    const owner = createApiClient(base, await signIn(base, 'ada', network.pdas[0]?.password ?? ''));
    const { body } = await owner('GET', '/api/v2.6/data/fitness/steps');
    expect([start, body]).toEqual([start, [expect.anything(), expect.anything(), expect.anything()]]);
    expect(await network.close()).toEqual([]);
  }
});

it.skipIf(!IS_THOROUGH_RUN)(
  'stops servers that are still starting before it reports that another server failed to start',
  async () => {
    const plainFile = join(home, 'file');
    await writeFile(plainFile, '');
    const network = startNetwork({
      home,
      port: 0,
      databases: { exchange: await createTestDatabase(), contracts: plainFile },
      pdas: [],
      skipSeed: true,
    });
    await expect(network).rejects.toThrow('contracts did not start');
    for (const name of ['exchange', 'relay']) {
      const log = await readFile(join(home, 'logs', `${name}.log`), 'utf8');
      const port = /listening on http:\/\/\S+:(\d+)/u.exec(log)?.[1];
      expect([name, port]).toStrictEqual([name, expect.any(String)]);
      expect([name, await isListening(Number(port))]).toStrictEqual([name, false]);
    }
  },
);
