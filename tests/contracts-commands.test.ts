import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../server/contracts/commands.ts';
import { createTestDatabase, startOwnPostgres } from '../server/platform/postgres/database.test-support.ts';
import { keyringSchema } from '../server/wire/contracts.ts';
import { runInProcess } from './support/run-command.ts';
import type { CommandResult } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const PROGRAM = fileURLToPath(new URL('../server/contracts/cli.ts', import.meta.url));
const EXIT_OK = 0;
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

vi.stubEnv('DATABASE_URL', '');
vi.stubEnv('PDA_LOG_LEVEL', 'silent');

const children = new Set<ChildProcess>();
const run = (...args: string[]): Promise<CommandResult> => runInProcess(args, main);
const serve = async (...args: string[]): Promise<{ url: string; stop(): Promise<unknown> }> => {
  // PGlite runs only briefly, so optimising its WebAssembly would cost more time than it saves.
  const child = spawn(process.execPath, ['--liftoff-only', PROGRAM, 'serve', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PDA_LOG_LEVEL: 'error' },
  });
  children.add(child);
  child.stderr.resume();
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const url = /^contracts listening on (http:\/\/127\.0\.0\.1:\d+)$/u.exec(String(line))?.[1];
  if (url === undefined) throw new Error(`unexpected first line: ${String(line)}`);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await once(child, 'close');
      return code;
    },
  };
};
afterAll(() => {
  vi.unstubAllEnvs();
  for (const child of children) child.kill('SIGKILL');
});

const fetchKeyring = async (url: string, token: string): Promise<Response> =>
  fetch(`${url}/v1/contracts/keyring`, { headers: { authorization: `Bearer ${token}` } });
const parseToken = (text: string): string => /^token (pda-contract-\S+)$/mu.exec(text)?.[1] ?? '';

describe('invalid arguments', () => {
  const INVALID_ARGUMENTS = [
    [],
    ['explode'],
    ['serve', '--port', '70000'],
    ['serve', '--port', ''],
    ['serve', '--public-url', 'contracts.example.org'],
    ['serve', '--domain', 'https://x'],
    ['contract', 'create', '--name', 'x'],
    ['contract', 'create', '--name', 'x', '--namespace', 'fitness'],
    ['contract', 'create', '--name', 'x', '--namespace', 'fitness:x'],
    ['token', 'rotate'],
    ['token', 'rotate', 'x', '--overlap', '-1'],
    ['token', 'rotate', 'x', '--overlap', ''],
  ];
  it.each(INVALID_ARGUMENTS.map((args) => [args]))('cause exit code 2 and an error message: %j', async (args) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toStrictEqual([EXIT_USAGE, '']);
    expect(stderr).not.toBe('');
  });
});

describe('the contracts service on PostgreSQL', () => {
  let databaseOptions: string[];
  beforeAll(async () => {
    databaseOptions = ['--database', await createTestDatabase()];
  });

  it('creates, shows, lists and disables contracts and rotates and revokes tokens', async () => {
    const createResult = await run(
      'contract',
      'create',
      '--name',
      'Steps study',
      '--namespace',
      'fitness:rw',
      '--namespace',
      'sleep:r',
      ...databaseOptions,
    );
    expect([createResult.code, createResult.stderr]).toStrictEqual([EXIT_OK, 'Preparing the database…\n']);
    expect(createResult.stdout).toMatch(/^contract steps-study\ntoken pda-contract-[A-Za-z0-9_-]{43}\n$/u);
    const service = await serve(...databaseOptions, '--public-url', 'https://contracts.example.org');
    const keyringBody = keyringSchema.parse(
      await (await fetchKeyring(service.url, parseToken(createResult.stdout))).json(),
    );
    expect(keyringBody.associatedPdas).toStrictEqual([]);

    const rotateResult = await run('token', 'rotate', 'steps-study', '--overlap', '1', ...databaseOptions);
    expect((await fetchKeyring(service.url, parseToken(createResult.stdout))).status).toBe(200);
    expect((await fetchKeyring(service.url, parseToken(rotateResult.stdout))).status).toBe(200);
    expect(await run('token', 'revoke', 'steps-study', ...databaseOptions)).toMatchObject({
      code: EXIT_OK,
      stdout: '2 tokens revoked\n',
    });
    expect((await fetchKeyring(service.url, parseToken(rotateResult.stdout))).status).toBe(401);

    const duplicateResult = await run(
      'contract',
      'create',
      '--name',
      'Steps study',
      '--namespace',
      'x:r',
      ...databaseOptions,
    );
    expect(duplicateResult).toMatchObject({
      code: EXIT_FAILURE,
      stdout: '',
      stderr: 'The contract steps-study already exists.\n',
    });
    expect((await run('contract', 'disable', 'steps-study', ...databaseOptions)).code).toBe(EXIT_OK);
    const details = await run('contract', 'show', 'steps-study', ...databaseOptions);
    expect(details.stdout).toMatch(
      /^contract steps-study \(disabled\)\nname Steps study\nnamespaces fitness:rw sleep:r\n/u,
    );
    expect((await run('contract', 'list', ...databaseOptions)).stdout).toBe(
      'steps-study\tdisabled\tfitness:rw sleep:r\tSteps study\n',
    );
    expect((await run('key', 'rotate', ...databaseOptions)).stdout).toMatch(/^key \S{22}\n$/u);
    expect(await run('pda', 'show', 'ada', ...databaseOptions)).toMatchObject({
      code: EXIT_FAILURE,
      stderr: 'The PDA ada has not joined any contract.\n',
    });
    const audit = (await run('audit', '--take', '3', ...databaseOptions)).stdout
      .split('\n')
      .map((line) => line.split('\t').slice(1, 4));
    expect(audit[1]).toStrictEqual(['command line', 'contract.disabled', 'steps-study']);
    expect(await service.stop()).toBe(EXIT_OK);
  });

  it('prints neither the password of the database URL nor tokens in the audit log', async () => {
    const refusedRun = await run('audit', '--database', 'postgres://operator:canary@127.0.0.1:1/none');
    expect(refusedRun).toMatchObject({ code: EXIT_FAILURE, stdout: '' });
    expect(refusedRun.stderr).toMatch(/cannot be used/u);
    expect(refusedRun.stderr).not.toContain('canary');
    const audit = await run('audit', ...databaseOptions);
    expect(audit.stdout).not.toContain('pda-contract-');
  });
});

describe('the contracts service during an outage of the database', () => {
  it.skipIf(!IS_THOROUGH_RUN)('responds 503 with Retry-After until the database is back', async () => {
    const postgres = await startOwnPostgres();
    const databaseOptions = ['--database', await postgres.createDatabase()];
    const token = parseToken(
      (await run('contract', 'create', '--name', 'x', '--namespace', 'x:r', ...databaseOptions)).stdout,
    );
    const service = await serve(...databaseOptions);
    const readHealth = async (): Promise<number> => (await fetch(`${service.url}/healthz`)).status;
    expect([(await fetchKeyring(service.url, token)).status, await readHealth()]).toStrictEqual([200, 200]);
    await postgres.stop();
    const unavailableResponse = await fetchKeyring(service.url, token);
    expect([
      unavailableResponse.status,
      unavailableResponse.headers.get('retry-after'),
      await readHealth(),
    ]).toStrictEqual([503, '2', 503]);
    await postgres.start();
    await expect.poll(readHealth).toBe(200);
    expect((await fetchKeyring(service.url, token)).status).toBe(200);
    expect(await service.stop()).toBe(EXIT_OK);
    await postgres.close();
  });
});

describe('the contracts service without a database URL', () => {
  it.skipIf(!IS_THOROUGH_RUN)('stores data in an embedded database, which a second process cannot open', async () => {
    const home = mkdtempSync(join(tmpdir(), 'pda-contracts-'));
    const createResult = await run('contract', 'create', '--name', 'x', '--namespace', 'x:r', '--home', home);
    expect(createResult.code).toBe(EXIT_OK);
    const service = await serve('--home', home);
    expect((await fetchKeyring(service.url, parseToken(createResult.stdout))).status).toBe(200);
    const secondResult = await run('contract', 'list', '--home', home);
    expect(secondResult).toMatchObject({
      code: EXIT_FAILURE,
      stdout: '',
      stderr: expect.stringMatching(/^Another process is using .*\n$/u),
    });
    expect(await service.stop()).toBe(EXIT_OK);
    rmSync(home, { recursive: true });
  });
});
