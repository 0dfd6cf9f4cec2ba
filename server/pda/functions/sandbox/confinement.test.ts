import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectStderr, findConfinement, startSandbox, type Confinement } from './confinement.ts';

/**
 * Program that runs with the sandbox's command line and tries forbidden operations. A function that escapes from its
 * isolate could try the same.
 */
const PROBE_PROGRAM = `
const net = require('node:net');
const fs = require('node:fs');
const results = {};
const attempt = async (name, act) => {
  try { results[name] = await act() ?? 'done' } catch (error) { results[name] = error.code ?? error.message }
};
const [own, outside, port] = JSON.parse(fs.readFileSync(__dirname + '/parameters.json', 'utf8'));
const reach = (host, port) => new Promise((resolve, reject) => {
  const socket = net.connect({ host, port }, () => resolve('reached'));
  socket.setTimeout(3000, () => { socket.destroy(); reject(new Error('timeout')) });
  socket.on('error', reject);
});
(async () => {
  await attempt('read own', () => fs.readFileSync(__filename, 'utf8').length > 0);
  await attempt('write own', () => fs.writeFileSync(own + '/x', 'x'));
  await attempt('read another folder', () => fs.readFileSync(outside + '/secret', 'utf8'));
  await attempt('read the system', () => fs.readFileSync('/etc/passwd', 'utf8').length);
  await attempt('list another folder', () => fs.readdirSync(outside));
  await attempt('write another folder', () => fs.writeFileSync(outside + '/x', 'x'));
  await attempt('link to another folder', () => { fs.symlinkSync(outside, own + '/link'); return fs.readFileSync(own + '/link/secret', 'utf8') });
  await attempt('start a process', () => require('node:child_process').spawnSync('/bin/true').status);
  await attempt('start a worker', () => void new (require('node:worker_threads').Worker)('1', { eval: true }));
  await attempt('connect to the server', () => reach('127.0.0.1', port));
  await attempt('connect to an address', () => reach('192.0.2.1', 80));
  results.environment = Object.keys(process.env).sort();
  results.descriptors = Array.from({ length: 64 }, (_, fd) => fd).filter((fd) => {
    if (fd < 3) return false;
    try { const s = fs.fstatSync(fd); return s.isFile() || s.isDirectory() || s.isSocket() } catch { return false }
  }).length;
  process.stdout.write(JSON.stringify(results));
})();
`;

let root: string;
let confinement: Confinement;
let results: Record<string, unknown>;
const server = createServer((socket) => socket.end());

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pda sandbox ')));
  const runFolder = join(root, 'own');
  const outside = join(root, 'outside');
  mkdirSync(runFolder);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  confinement = await findConfinement(runFolder);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  writeFileSync(
    join(runFolder, 'parameters.json'),
    JSON.stringify([runFolder, outside, typeof address === 'object' ? address?.port : 0]),
  );
  writeFileSync(join(runFolder, 'probe.cjs'), PROBE_PROGRAM);
  const plan = { folder: runFolder, module: undefined, memoryMb: 128, timeoutMs: 10_000 };
  process.env['PDA_TEST_SECRET'] = 'secret';
  const child = startSandbox(confinement, plan, join(runFolder, 'probe.cjs'));
  delete process.env['PDA_TEST_SECRET'];
  const readStderr = collectStderr(child);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  await once(child, 'close');
  if (text === '') throw new Error(readStderr());
  results = JSON.parse(text) as Record<string, unknown>;
});

afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

describe('the process of a sandbox', () => {
  it('reads and writes its own folder', () => {
    expect([results['read own'], results['write own']]).toEqual([true, 'done']);
  });

  it('cannot read, list or write other folders, or read system files', () => {
    const deniedAttempts = [
      'read another folder',
      'read the system',
      'list another folder',
      'write another folder',
      'link to another folder',
    ];
    expect(deniedAttempts.map((name) => results[name])).toEqual(deniedAttempts.map(() => 'ERR_ACCESS_DENIED'));
  });

  it('starts neither processes nor workers', () => {
    expect([results['start a process'], results['start a worker']]).toEqual(['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']);
  });

  it('has a minimal environment', () => {
    const allowedNames = new Set([
      'TZ',
      'PREBUILDS_ONLY',
      'MALLOC_ARENA_MAX',
      'SystemRoot',
      'PWD',
      'OLDPWD',
      'SHLVL',
      '_',
      '__CF_USER_TEXT_ENCODING',
    ]);
    expect((results['environment'] as string[]).filter((name) => !allowedNames.has(name))).toEqual([]);
  });

  it('inherits no open files', () => {
    expect(results['descriptors']).toBe(0);
  });

  it('has no network access if the system can block it', () => {
    const canBlockNetwork = process.platform === 'linux' && spawnSync('unshare', ['-U', '-n', 'true']).status === 0;
    if (canBlockNetwork) expect(confinement.network).toBe('closed');
    // Otherwise the host logs a warning.
    if (confinement.network !== 'closed') return;
    expect(results['connect to the server']).not.toBe('reached');
    expect(results['connect to an address']).not.toBe('reached');
  });

  it('reports its reserved memory and the path of its addon on Linux', () => {
    if (process.platform !== 'linux') return;
    expect(confinement.reservedBytes).toBeGreaterThan(100_000_000);
    expect(confinement.addon).toMatch(/isolated-vm.*\.node$/);
  });
});

describe.skipIf(process.platform !== 'linux')('the confinement programs', () => {
  const UNSHARE_ONLY = [['unshare', '-U', '-n'], []];

  it.each(['', '.:no/such/folder', '/no/such/folder'])(
    'are found even if PATH does not contain them: %j',
    async (path) => {
      const canBlockNetwork = spawnSync('unshare', ['-U', '-n', 'true']).status === 0;
      const result = await findConfinement(join(root, 'own'), undefined, path);
      for (const program of result.wrapper.filter((word) => /unshare|setpriv/.test(word))) {
        expect(program).toMatch(/^\/(?:usr\/)?s?bin\/(?:unshare|setpriv)$/);
        accessSync(program);
      }
      if (canBlockNetwork) expect(result).toMatchObject({ network: 'closed', wrapper: confinement.wrapper });
    },
  );

  it('do not count as a network block if they block nothing', async () => {
    const binFolder = join(root, 'bin');
    mkdirSync(binFolder);
    writeFileSync(join(binFolder, 'unshare'), '#!/bin/sh\nshift 2\nexec "$@"\n');
    chmodSync(join(binFolder, 'unshare'), 0o755);
    const result = await findConfinement(join(root, 'own'), UNSHARE_ONLY, binFolder);
    // The fake program blocks nothing, so its name must not be sufficient.
    expect(result).toMatchObject({ wrapper: [join(binFolder, 'unshare'), '-U', '-n'], network: 'unreachable' });
  });
});

describe('a machine with fewer capabilities', () => {
  it.skipIf(process.platform === 'win32')(
    'gets a weaker sandbox, which does not report a blocked network and names the problem of the stronger one',
    async () => {
      const result = await findConfinement(join(root, 'own'), [['no-such-program', '-x'], []]);
      expect(result).toMatchObject({ network: 'unreachable', wrapper: [] });
      expect(result.strongerProblem).toMatch(/no-such-program/);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'gets an error with the exit code of a program that prints no error',
    async () => {
      await expect(findConfinement(join(root, 'own'), [['sh', '-c', 'exit 7']])).rejects.toThrow(
        'the sandbox does not start on this machine: it exited (code 7)',
      );
    },
  );

  it('gets an error that states why the system cannot start the process', async () => {
    await expect(findConfinement(join(root, 'missing'), [[]])).rejects.toThrow(/does not start.*ENOENT/);
  });

  it.skipIf(process.platform === 'win32')(
    'gets an error that names the missing program if no sandbox starts',
    async () => {
      await expect(findConfinement(join(root, 'own'), [['no-such-program']])).rejects.toThrow(
        /does not start.*no-such-program/,
      );
    },
  );
});
