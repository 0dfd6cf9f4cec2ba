import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../tests/support/is-alive.ts';
import { OWNER } from '../../tests/support/test-pda.ts';
import { createTestDatabase } from '../platform/postgres/database.test-support.ts';
import { lockFolder } from '../platform/io/folder-lock.ts';
import { runProgram, startService } from './service-process.ts';

let folder: string;
let database: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pda-child-'));
  database = await createTestDatabase();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('runProgram waits while another process uses the folder of the command', async () => {
  const home = join(folder, 'used');
  await mkdir(home);
  const lock = lockFolder(home);
  const waitReasons: string[] = [];
  await runProgram('pda', ['init', '--name', 'ada', '--home', home, '--password-stdin'], {
    input: OWNER.password,
    env: process.env,
    onWait: (reason) => {
      waitReasons.push(reason);
      lock?.close();
    },
  });
  expect(waitReasons).toEqual([expect.stringContaining('Another process is using')]);
});

describe('startService', () => {
  it.each(['contracts', 'relay'] as const)('rejects if %s exits because it cannot start', async (program) => {
    const file = join(folder, `${program}-file`);
    await writeFile(file, '');
    const args = { contracts: ['--database', file], relay: ['--domain', 'localhost', '--home', file] };
    const service = startService({
      name: program,
      program,
      args: args[program],
      env: process.env,
      logFile: join(folder, `${program}-failed.log`),
      onUnexpectedExit: () => undefined,
    });
    await expect(service).rejects.toThrow(`${program} did not start (1)`);
  });

  it.each(['pda', 'contracts', 'relay'] as const)('%s stops when its parent process is killed', async (program) => {
    const args = {
      pda: ['--home', join(folder, 'pda')],
      contracts: ['--database', database],
      relay: ['--domain', 'localhost', '--home', join(folder, 'relay')],
    };
    const options = { name: program, program, args: args[program], logFile: join(folder, `${program}.log`) };
    const code = `
      const { startService } = await import(${JSON.stringify(new URL('./service-process.ts', import.meta.url).href)});
      const service = await startService({ ...${JSON.stringify(options)}, env: process.env, onUnexpectedExit() {} });
      console.log(service.pid);
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
