import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { anApplication } from '../../tests/support/applications.ts';
import { runInProcess } from '../../tests/support/run-command.ts';
import { runCommand } from '../../tests/support/server-process.ts';
import { createTestDatabase } from '../platform/postgres/database.test-support.ts';
import { main } from './commands.ts';
import { PASSWORD, startTestExchange } from './exchange.test-support.ts';

let folder: string;
let database: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exchange-commands-'));
  database = await createTestDatabase();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const withDatabase = (args: readonly string[]): string[] => [...args, '--database', database];
const run = (args: readonly string[]) => runInProcess(withDatabase(args), main);
const writeFixture = (name: string, value: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
};

describe('exchange commands', () => {
  it('create an account, a Data Plug and an application that a server then uses', async () => {
    const createArgs = ['account', 'create', '--name', 'acme', '--roles', 'dataPlug,developer', '--password-stdin'];
    // `process.env`, because the default environment of `runCommand` sets a different log level.
    const options = { program: 'server/exchange/cli.ts', input: `${PASSWORD}\n`, env: process.env };
    expect(await runCommand(withDatabase(createArgs), options)).toStrictEqual({
      code: 0,
      signal: null,
      stdout: 'account acme created: dataPlug, developer\n',
      // The first command creates the tables.
      stderr: 'Preparing the database…\n',
    });
    vi.spyOn(process, 'stdin', 'get').mockReturnValueOnce(Readable.from([PASSWORD]) as typeof process.stdin);
    expect(await run(createArgs)).toMatchObject({
      code: 1,
      stderr: 'The account acme already exists.\n',
    });
    const plugResult = await run([
      'plug',
      'register',
      writeFixture('plug.json', {
        name: 'Weather',
        description: 'Records the weather.',
        url: 'https://weather.example.com/',
        illustrationUrl: 'https://weather.example.com/logo.png',
        passwordHash: `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$${'a'.repeat(43)}`,
        approved: true,
        owner: 'acme',
      }),
    ]);
    const applicationFile = writeFixture('app.json', anApplication({ id: 'walks' }));
    const applicationResult = await run([
      'application',
      'register',
      applicationFile,
      '--publish',
      '--developer',
      'acme',
    ]);
    const rotationResult = await run(['key', 'rotate']);
    expect(plugResult).toMatchObject({ code: 0, stderr: '' });
    expect(plugResult.stdout).toMatch(/^plug Weather registered: [0-9a-f-]{36}\n$/u);
    expect(applicationResult).toStrictEqual({
      code: 0,
      signal: null,
      stdout: 'application walks 1.0.0 published\n',
      stderr: '',
    });
    expect(rotationResult).toMatchObject({ code: 0, stderr: '' });

    const exchange = await startTestExchange({ database });
    try {
      for (const id of ['walks', 'weather'])
        expect((await exchange.call('GET', `/api/v2/applications/${id}`)).status, id).toBe(200);
      const headers = { username: 'acme', password: encodeURIComponent(PASSWORD) };
      expect((await exchange.call('GET', '/api/users/access_token', { headers })).status).toBe(200);
      const { keys } = (await exchange.call('GET', '/.well-known/jwks.json')).json as { keys: unknown[] };
      // No earlier command needed a key, so the rotation created the first one.
      expect(keys).toHaveLength(1);
    } finally {
      await exchange.close();
    }
  });

  it('refuse unknown roles, and report unusable files and databases in one line without the password', async () => {
    const unknownRole = await run(['account', 'create', '--name', 'x', '--roles', 'king', '--password-stdin']);
    const malformedFile = await run(['plug', 'register', writeFixture('broken.json', '{')]);
    const invalidDefinition = await run(['application', 'register', writeFixture('wrong.json', { id: 'a' })]);
    const wrongType = await run(['plug', 'register', writeFixture('list.json', [])]);
    const missingFile = await run(['application', 'register', join(folder, 'none.json')]);
    const unreachable = await runInProcess(
      ['key', 'rotate', '--database', 'postgres://x:SECRET@127.0.0.1:1/none'],
      main,
    );
    expect(unknownRole.code).toBe(2);
    for (const result of [malformedFile, invalidDefinition, wrongType, missingFile, unreachable])
      expect([result.code, result.stderr.trim().split('\n').length, result.stdout]).toStrictEqual([1, 1, '']);
    // The problem concerns the whole file, so no path precedes it.
    expect(wrongType.stderr).toMatch(/list\.json: \w/u);
    expect(unreachable.stderr).not.toContain('SECRET');
  });
});
