import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../../../tests/support/is-alive.ts';
import { silentLog } from '../../../platform/log.ts';
import { createSandboxHost } from './host.ts';
import { killOrphan } from './orphans.ts';

const SERVER_SOURCE = `
import { createSandboxHost } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'host.ts')).href)};
import { silentLog } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../platform/log.ts')).href)};
const [folder, location] = process.argv.slice(2);
const host = createSandboxHost({ folder, log: silentLog() });
await host.detectConfinement();
host.open({ id: 'x', version: '1.0.0', memoryMb: 128, timeoutMs: 600000, location }).process('{}');
`;

let root: string;
let runsFolder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pda sandbox ')));
  runsFolder = join(root, 'runs');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

describe('after a server was killed during a run', () => {
  it('the next server kills the process and deletes its files', async () => {
    writeFileSync(join(root, 'server.mjs'), SERVER_SOURCE);
    writeFileSync(join(root, 'f.mjs'), 'export function process() { scratch.write("a", "x"); for (;;); }');
    const server = spawn(process.execPath, [join(root, 'server.mjs'), runsFolder, join(root, 'f.mjs')], {
      stdio: 'inherit',
    });
    children.push(server);
    const files = () => readdirSync(runsFolder, { recursive: true }).map(String);
    await expect.poll(() => files().some((name) => name.endsWith(`${sep}1`)), { interval: 50 }).toBe(true);
    const pidFile = readdirSync(runsFolder).find((name) => name.endsWith('.pid')) ?? '';
    const pid = Number(readFileSync(join(runsFolder, pidFile), 'latin1'));
    expect(isAlive(pid)).toBe(true);
    server.kill('SIGKILL');
    await once(server, 'exit');

    const nextHost = createSandboxHost({ folder: runsFolder, log: silentLog() });
    await expect.poll(() => [isAlive(pid), readdirSync(runsFolder)]).toEqual([false, []]);
    await nextHost.close();
  });

  it('a process that reuses the pid is not killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
    children.push(child);
    mkdirSync(runsFolder);
    writeFileSync(join(runsFolder, 'run.pid'), String(child.pid));
    await killOrphan(join(runsFolder, 'run.pid'), 'run');
    expect(child.pid !== undefined && isAlive(child.pid)).toBe(true);
  });

  it('a process with the run id is killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', 'the-run'], { stdio: 'ignore' });
    children.push(child);
    mkdirSync(runsFolder);
    writeFileSync(join(runsFolder, 'the-run.pid'), String(child.pid));
    const exitPromise = once(child, 'exit');
    await killOrphan(join(runsFolder, 'the-run.pid'), 'the-run');
    expect(await exitPromise).toEqual([null, 'SIGKILL']);
  });

  it('an invalid pid is ignored', async () => {
    mkdirSync(runsFolder);
    for (const text of ['', '-1', '0', '1', 'x']) {
      writeFileSync(join(runsFolder, 'x.pid'), text);
      await expect(killOrphan(join(runsFolder, 'x.pid'), '')).resolves.toBeUndefined();
    }
  });
});
