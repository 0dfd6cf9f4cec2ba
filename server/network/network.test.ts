import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../platform/postgres/database.test-support.ts';
import { startNetwork } from './network.ts';
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
