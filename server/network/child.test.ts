import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pda-child-'));
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

it.each([
  ['pda', ['--home']],
  ['contracts', ['--database']],
])('%s ends when whoever started it was killed', async (program, [option = '']) => {
  const code = `
    const { startService } = await import(${JSON.stringify(new URL('./child.ts', import.meta.url).href)});
    const folder = ${JSON.stringify(join(folder, program))};
    const service = await startService({
      name: 'one', program: '${program}', args: ['${option}', folder], env: process.env, logFile: folder + '.log', onDeath() {},
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
