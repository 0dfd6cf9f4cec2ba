import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshPostgres } from '../platform/postgres/postgres.test-support.ts';

let folder: string;
let database: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pda-child-'));
  database = await freshPostgres();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    // It says so by an error.
    return false;
  }
};

it.each(['pda', 'contracts', 'relay'] as const)('%s ends when whoever started it was killed', async (program) => {
  const args = {
    pda: ['--home', join(folder, 'pda')],
    contracts: ['--database', database],
    relay: ['--domain', 'localhost', '--home', join(folder, 'relay')],
  };
  const code = `
    const { startService } = await import(${JSON.stringify(new URL('./child.ts', import.meta.url).href)});
    const service = await startService({
      name: 'one', program: '${program}', args: ${JSON.stringify(args[program])}, env: process.env, logFile: ${JSON.stringify(join(folder, `${program}.log`))}, onDeath() {},
    });
    console.log(service.pid);
  `;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: starter.stdout }), 'line')) as [string];
  const pid = Number(line);
  expect(isThere(pid)).toBe(true);
  starter.kill('SIGKILL');
  await expect.poll(() => isThere(pid)).toBe(false);
});
