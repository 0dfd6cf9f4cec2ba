import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../server/platform/clock.ts';
import { silentLog } from '../../server/platform/log.ts';
import { createTokens } from '../../server/platform/auth/tokens.ts';
import type { PdaOptions } from '../../server/pda/config.ts';
import { createPda, type Pda } from '../../server/pda/pda.ts';
import { errorBodySchema, type ErrorBody } from '../../server/wire/errors.ts';
import { recordListSchema, recordSchema, type DataRecord } from '../../server/wire/records.ts';
import { waitForPublicPort } from './forwarder.ts';
import { send, type Call, type Reply } from './http.ts';

export const OWNER = { name: 'ada', password: 'correct horse battery staple' } as const;

/** A clock that stands still until it is set or advanced. */
export type TestClock = Clock & { set(ms: number): void; advance(ms: number): void };

export const createTestClock = (start: number = Date.UTC(2026, 0, 15, 12)): TestClock => {
  let now = start;
  return {
    now: () => now,
    set: (ms) => {
      now = ms;
    },
    advance: (ms) => {
      now += ms;
    },
  };
};

/** A PDA in this process. */
export type RunningPda = {
  /** The running PDA; a different object after a restart. */
  readonly pda: Pda;
  readonly home: string;
  readonly port: number;
  /** Returns the port that serves the public URL. `call` uses it for requests whose Host header names that URL. */
  publicPort(): Promise<number>;
  /** host[:port] of the local address. */
  readonly host: string;
  /** The token that requests carry by default; empty before the setup. */
  token: string;
  call(method: string, path: string, call?: Call): Promise<Reply>;
  /** Signs in again and returns the token, which does not become the default token. */
  signIn(): Promise<string>;
  restart(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Starts a PDA in this process, on a free port.
 * @param onClose called after the PDA has closed
 */
export const openPda = async (options: PdaOptions, onClose: () => void): Promise<RunningPda> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const open = async (port: number): Promise<{ pda: Pda; port: number }> => {
    const pda = await createPda(options);
    return { pda, port: (await pda.listen(port)).port };
  };
  let instance = await open(0);
  let publicPort: Promise<number> | undefined;
  const publicHost = options.publicUrl === undefined ? undefined : new URL(options.publicUrl).host;
  const self: RunningPda = {
    get pda() {
      return instance.pda;
    },
    get port() {
      return instance.port;
    },
    get host() {
      return `127.0.0.1:${instance.port}`;
    },
    home: options.home,
    token: '',
    publicPort: () => (publicPort ??= waitForPublicPort(instance.pda)),
    async call(method, path, call = {}) {
      const isPublic = publicHost !== undefined && String(call.headers?.['host']).toLowerCase() === publicHost;
      const port = isPublic ? await self.publicPort() : instance.port;
      return send(port, agent, method, path, { ...call, token: call.token === undefined ? self.token : call.token });
    },
    signIn: () => signIn(instance.pda, self.host),
    async restart() {
      agent.destroy();
      await instance.pda.close();
      publicPort = undefined;
      // Keeps the port, because a token names the address at which it was issued.
      instance = await open(instance.port);
    },
    async close() {
      agent.destroy();
      await instance.pda.close();
      onClose();
    },
  };
  return self;
};

export type TestPda = RunningPda & { readonly clock: TestClock };

export type TestPdaOptions = Partial<Omit<PdaOptions, 'home' | 'clock' | 'files'>> & {
  setUp?: boolean;
  /** Content of config.json at the first start. */
  config?: unknown;
  /** Watches the files folder. Otherwise, the PDA starts without the watcher's thread, in half the time. */
  watchesFiles?: boolean;
};

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'pda-test-'));

const signIn = async (pda: Pda, host: string): Promise<string> =>
  (await pda.owner.signIn(OWNER.name, OWNER.password, { address: '127.0.0.1', host, local: true, userAgent: 'test' }))
    .accessToken;

/** A home after the setup, with a session of the owner. */
type Template = { home: string; session: { sub: string; jti: string } };

/** The template is created once and copied, because creating keys costs more than the rest of a test. */
let template: Promise<Template> | undefined;
const makeTemplate = async (clock: Clock): Promise<Template> => {
  const home = newFolder();
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const pda = await createPda({ home, clock, log: silentLog() });
  await pda.owner.init(OWNER.name, OWNER.password);
  const { sub, jti } = parseTokenClaims(await signIn(pda, '127.0.0.1'));
  await pda.close();
  return { home, session: { sub, jti } };
};

const parseTokenClaims = (token: string): { sub: string; jti: string } =>
  z
    .object({ sub: z.string(), jti: z.string() })
    .parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()));

/** Issues a token of the template's session for an address. */
const issueToken = async (pda: Pda, clock: Clock, { session }: Template, host: string): Promise<string> =>
  (
    await createTokens({ keys: pda.owner.keys, clock }).issue({
      ...session,
      iss: host,
      accessScope: 'owner',
      resource: host,
    })
  ).token;

/** Starts a PDA in a new folder on a free port. Validates every response unless `strict` is false. */
export const startTestPda = async ({
  setUp = true,
  config,
  watchesFiles = false,
  ...options
}: TestPdaOptions = {}): Promise<TestPda> => {
  const home = newFolder();
  const clock = createTestClock();
  const usedTemplate = setUp ? await (template ??= makeTemplate(clock)) : undefined;
  if (usedTemplate !== undefined) cpSync(usedTemplate.home, home, { recursive: true });
  if (config !== undefined) writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const files = watchesFiles ? {} : { files: { openWatcher: async () => ({ close: async () => undefined }) } };
  const pda = await openPda({ home, clock, log: silentLog(), strict: true, ...files, ...options }, () =>
    rmSync(home, { recursive: true, force: true }),
  );
  if (usedTemplate !== undefined) pda.token = await issueToken(pda.pda, clock, usedTemplate, pda.host);
  return Object.assign(pda, { clock });
};

/** Parses the error body of a response. Fails if it does not match the schema. */
export const errorOf = (reply: Reply): ErrorBody => errorBodySchema.parse(reply.json);

export const recordOf = (reply: Reply): DataRecord => recordSchema.parse(reply.json);
export const recordsOf = (reply: Reply): DataRecord[] => recordListSchema.parse(reply.json);

/** Returns the stored data of an endpoint, oldest record first. */
export const dataAt = async (pda: TestPda, endpoint: string): Promise<unknown[]> =>
  recordsOf(await pda.call('GET', `/api/v2.6/data/${endpoint}?take=100000`)).map((record) => record.data);
