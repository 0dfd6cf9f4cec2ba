import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenResponseSchema } from '../server/wire/owner.ts';
import { send, sendRaw, type Call, type Reply } from './support/http.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

/** A word in secrets and records that the tests send. It must not appear in refusals or in the log. */
const CANARY = 'canaryZ7Q9X';
const PASSWORD = `long and secret ${CANARY}`;

describe('API responses', () => {
  let pda: TestPda;
  beforeAll(async () => {
    pda = await startTestPda();
  });
  afterAll(() => pda.close());

  /** Collects responses of several kinds: success, created, empty, streamed and refused. */
  const collectResponses = async (): Promise<Reply[]> => {
    await pda.call('POST', '/api/v2.6/data/many/items', {
      json: Array.from({ length: 3000 }, (_, index) => ({ index })),
    });
    return [
      await pda.call('GET', '/healthz', { token: null }),
      await pda.call('GET', '/publickey', { token: null }),
      await pda.call('GET', '/api/v2.6/owner'),
      await pda.call('POST', '/api/v2.6/data/a/b', { json: 1 }),
      await pda.call('GET', '/api/v2.6/data/many/items?take=3000'),
      await pda.call('HEAD', '/api/v2.6/data/a/b'),
      await pda.call('OPTIONS', '/api/v2.6/data/a/b', { token: null }),
      await pda.call('GET', '/users/access_token', { token: null }),
      await pda.call('GET', '/api/v2.6/data/a/b', { token: 'garbage' }),
      await pda.call('POST', '/api/v2.6/owner/password', { json: { password: 'x', newPassword: 'y' } }),
      await pda.call('GET', '/api/v2.6/nothing'),
      await pda.call('PATCH', '/api/v2.6/data/a/b'),
      await pda.call('POST', '/api/v2.6/data/a/b', { body: '{' }),
      await pda.call('POST', '/api/v2.6/data/a/b', { body: 'a', headers: { 'content-type': 'text/plain' } }),
      await pda.call('GET', '/healthz', { headers: { host: 'evil.example' } }),
    ];
  };

  it('must not be cached, framed or sniffed, and can load nothing', async () => {
    for (const { status, headers } of await collectResponses()) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-frame-options': expect.stringMatching(/^(?:DENY|SAMEORIGIN)$/u),
        'referrer-policy': 'no-referrer',
      });
      expect([status, headers['x-powered-by'], headers['server']]).toStrictEqual([status, undefined, undefined]);
    }
  });

  it('are readable by pages of any origin, but not with credentials, and set no cookie', async () => {
    for (const { headers } of await collectResponses()) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers['set-cookie']).toBeUndefined();
      expect(String(headers['access-control-expose-headers'])).toBe('x-auth-token, retry-after');
    }
  });

  it('contain each header once', async () => {
    for (const { status, rawHeaders } of await collectResponses()) {
      const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
      expect([status, names.toSorted()]).toStrictEqual([status, [...new Set(names)].toSorted()]);
    }
  });

  it('never repeat a secret of a refused request', async () => {
    const passwordChange = (value: unknown): Call => ({ json: { password: value, newPassword: value } });
    const refusedReplies = [
      await pda.call('GET', '/users/access_token', { token: null, headers: { username: CANARY, password: CANARY } }),
      await pda.call('GET', '/users/access_token', { token: null, headers: { username: 'a', password: `%${CANARY}` } }),
      await pda.call('GET', '/users/access_token', {
        token: null,
        headers: { username: 'a', password: CANARY.repeat(900) },
      }),
      await pda.call('POST', '/api/v2.6/owner/password', passwordChange(CANARY)),
      await pda.call('POST', '/api/v2.6/owner/password', passwordChange({ [CANARY]: 1 })),
      await pda.call('POST', '/api/v2.6/owner/password', passwordChange([CANARY])),
      await pda.call('POST', '/api/v2.6/owner/password', passwordChange(CANARY.repeat(200))),
      await pda.call('POST', '/api/v2.6/owner/password', { body: `{"password":"${CANARY}` }),
      await pda.call('POST', '/api/v2.6/owner/password', { body: `{"password":"${CANARY}",}` }),
      await pda.call('POST', '/api/v2.6/owner/setup', { json: { code: CANARY, name: 'ada', password: CANARY } }),
      await pda.call('GET', '/api/v2.6/owner', { token: CANARY }),
      await pda.call('POST', '/api/v2.6/data/a/b', { body: `{"a":"${CANARY}","a":"${CANARY}"}` }),
      await pda.call('POST', '/api/v2.6/data/a/b', { body: `{"a":"${CANARY}\\ud800"}` }),
    ];
    for (const reply of refusedReplies) {
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.text).not.toContain(CANARY);
    }
  });

  it('reveal no internals of unexpected errors, only a request id', async () => {
    const lines: string[] = [];
    const { pino } = await import('pino');
    const brokenPda = await startTestPda({
      log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
      strict: false,
    });
    await brokenPda.call('POST', '/api/v2.6/data/a/b', { json: { secret: CANARY } });
    // Simulates an unexpected error in a service.
    Object.assign(brokenPda.pda.records, {
      read: () => {
        throw new Error(`SELECT data FROM records -- ${brokenPda.home}`);
      },
    });
    const reply = await brokenPda.call('GET', '/api/v2.6/data/a/b');
    expect(reply.status).toBe(500);
    expect(reply.json).toStrictEqual({
      error: 'internal_error',
      message: 'Internal Server Error',
      cause: expect.not.stringContaining('SELECT'),
      requestId: expect.any(String),
    });
    expect(reply.headers['x-auth-token']).toBeUndefined();
    expect(lines.join('')).toContain(Object(reply.json).requestId);
    expect(lines.join('')).not.toContain(CANARY);
    await brokenPda.close();
  });
});

describe('a server with the most detailed log level', () => {
  const home = mkdtempSync(join(tmpdir(), 'pda-test-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('logs no password, token or data, and stores no password or token', async () => {
    const cli = fileURLToPath(new URL('../server/pda/cli/main.js', import.meta.url));
    const server = spawn(process.execPath, [cli, 'serve', '--home', home], {
      env: { ...process.env, PDA_LOG_LEVEL: 'trace' },
    });
    let out = '';
    let log = '';
    server.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const code = await new Promise<string>((resolve, reject) => {
      server.once('exit', () => reject(new Error(`the server exited: ${log}`)));
      server.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        const setupCode = /code=([\w-]+)/u.exec(out)?.[1];
        if (setupCode !== undefined) resolve(setupCode);
      });
    });
    const port = Number(/:(\d+)$/mu.exec(out)?.[1]);
    const agent = new Agent({ keepAlive: true });
    const call = (method: string, path: string, options: Call = {}): Promise<Reply> =>
      send(port, agent, method, path, options);

    const setupReply = await call('POST', '/api/v2.6/owner/setup', { json: { code, name: 'ada', password: PASSWORD } });
    const { accessToken } = tokenResponseSchema.parse(setupReply.json);
    const ownerHeaders = { 'x-auth-token': accessToken };
    const credentials = { username: 'ada', password: encodeURIComponent(PASSWORD) };
    const replies = [
      await call('GET', '/users/access_token', { headers: credentials }),
      await call('GET', '/users/access_token', { headers: { ...credentials, username: CANARY } }),
      await call('GET', `/users/access_token?password=${CANARY}`, { headers: { username: 'ada', password: CANARY } }),
      await call('GET', `/api/v2.6/owner?token=${CANARY}`, { headers: { 'x-auth-token': CANARY } }),
      await call('POST', `/api/v2.6/data/notes/${CANARY}`, { json: [{ text: CANARY }], headers: ownerHeaders }),
      await call('GET', `/api/v2.6/data/notes/${CANARY}?orderBy=${CANARY}`, { headers: ownerHeaders }),
      await call('GET', `/api/v2.6/owner/records?endpoint=notes/${CANARY}&search=${CANARY}`, { headers: ownerHeaders }),
      await call('POST', '/api/v2.6/data/notes/x', { body: `{"${CANARY}":`, headers: ownerHeaders }),
      await call('POST', '/api/v2.6/owner/password', {
        json: { password: CANARY, newPassword: PASSWORD },
        headers: ownerHeaders,
      }),
      await call('DELETE', `/api/v2.6/data/notes/${CANARY}`, { headers: ownerHeaders }),
    ];
    await sendRaw(port, `GET /${CANARY} HTTP/1.1\r\n${CANARY}\r\n\r\n`);
    await sendRaw(
      port,
      `POST /api/v2.6/data/a/b HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-auth-token: ${accessToken}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n"${CANARY}`,
      { hangUp: true },
    );
    const secondReply = await call('GET', '/api/v2.6/owner', { headers: ownerHeaders });
    agent.destroy();
    server.removeAllListeners('exit');
    const exited = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    expect(await exited).toBe(0);

    expect(replies.map((reply) => reply.status)).toStrictEqual([200, 401, 401, 401, 201, 200, 200, 400, 403, 200]);
    expect(log.split('\n').length).toBeGreaterThan(10);
    const tokens = [accessToken, ...[...replies, secondReply].map((reply) => reply.headers['x-auth-token'])].filter(
      (token) => typeof token === 'string',
    );
    expect(tokens.length).toBeGreaterThan(5);
    const secrets = [CANARY, ...tokens, ...tokens.map((token) => token.split('.')[2] ?? '')];
    for (const secret of secrets) expect(log).not.toContain(secret);
    for (const secret of [PASSWORD, ...tokens]) expect(out).not.toContain(secret);

    const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
      .map((name) => join(home, name))
      .filter((file) => statSync(file).isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const bytes = readFileSync(file);
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), ...tokens])
        expect([file, bytes.includes(secret)]).toStrictEqual([file, false]);
    }
    // Only the system account that runs the server may read the home.
    expect(statSync(home).mode & 0o077).toBe(0);
  });
});
