import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../server/platform/clock.ts';
import { silentLog, type Log } from '../../server/platform/log.ts';
import { createPda, type Pda, type PdaOptions } from '../../server/pda/pda.ts';
import { errorBodySchema, type ErrorBody } from '../../server/wire/errors.ts';
import { recordListSchema, recordSchema, type DataRecord } from '../../server/wire/records.ts';
import { send, type Call, type Reply } from './http.ts';

export const OWNER = { name: 'ada', password: 'correct horse battery staple' } as const;

/** A time that stands still until it is moved. */
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

export type TestPda = {
  /** The running one; another object after a restart. */
  readonly pda: Pda;
  readonly home: string;
  readonly port: number;
  /** host[:port] under which it is called. */
  readonly host: string;
  readonly clock: TestClock;
  /** The owner's token that calls carry unless they say otherwise; empty before set-up. */
  token: string;
  call(method: string, path: string, call?: Call): Promise<Reply>;
  /** Signs in anew; the token is not kept. */
  signIn(): Promise<string>;
  restart(): Promise<void>;
  close(): Promise<void>;
};

export type TestPdaOptions = {
  setUp?: boolean;
  log?: Log;
  pages?: string;
  publicUrl?: string;
  strict?: boolean;
  network?: NonNullable<PdaOptions['network']>;
  functions?: NonNullable<PdaOptions['functions']>;
  /** What config.json holds at the first start. */
  config?: unknown;
};

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'pda-test-'));

/** A home that is set up, made once and copied: keys and password hashes cost more than the rest of a test. */
let template: Promise<string> | undefined;
const makeTemplate = async (clock: Clock): Promise<string> => {
  const home = newFolder();
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const pda = await createPda({ home, clock, log: silentLog() });
  await pda.owner.init(OWNER.name, OWNER.password);
  await pda.close();
  return home;
};

/** Starts a PDA in a folder of its own, on a port of its own, with every answer held against its declaration. */
export const startTestPda = async (options: TestPdaOptions = {}): Promise<TestPda> => {
  const home = newFolder();
  const clock = createTestClock();
  if (options.setUp !== false) cpSync(await (template ??= makeTemplate(clock)), home, { recursive: true });
  if (options.config !== undefined) writeFileSync(join(home, 'config.json'), JSON.stringify(options.config));
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });

  const open = async (port: number): Promise<{ pda: Pda; port: number }> => {
    const pda = await createPda({
      home,
      clock,
      log: options.log ?? silentLog(),
      strict: options.strict ?? true,
      ...(options.pages === undefined ? {} : { pages: options.pages }),
      ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
      ...(options.network === undefined ? {} : { network: options.network }),
      ...(options.functions === undefined ? {} : { functions: options.functions }),
    });
    return { pda, port: (await pda.listen(port)).port };
  };

  let running = await open(0);
  const self: TestPda = {
    get pda() {
      return running.pda;
    },
    get port() {
      return running.port;
    },
    get host() {
      return `127.0.0.1:${running.port}`;
    },
    home,
    clock,
    token: '',
    call(method, path, call = {}) {
      const token = call.token === undefined ? self.token : call.token;
      const headers = token === null || token === '' ? call.headers : { 'x-auth-token': token, ...call.headers };
      return send(running.port, agent, method, path, { ...call, ...(headers === undefined ? {} : { headers }) });
    },
    async signIn() {
      const from = { address: '127.0.0.1', host: self.host, local: true, userAgent: 'test' };
      return (await running.pda.owner.signIn(OWNER.name, OWNER.password, from)).accessToken;
    },
    async restart() {
      agent.destroy();
      await running.pda.close();
      // The same port: a token names the address through which it was made.
      running = await open(running.port);
    },
    async close() {
      agent.destroy();
      await running.pda.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  if (options.setUp !== false) self.token = await self.signIn();
  return self;
};

/** The body of a refusal; fails when it is not of the one shape. */
export const errorOf = (reply: Reply): ErrorBody => errorBodySchema.parse(reply.json);

export const recordOf = (reply: Reply): DataRecord => recordSchema.parse(reply.json);
export const recordsOf = (reply: Reply): DataRecord[] => recordListSchema.parse(reply.json);

/** What is stored at an endpoint, in order. */
export const dataAt = async (pda: TestPda, endpoint: string): Promise<unknown[]> =>
  recordsOf(await pda.call('GET', `/api/v2.6/data/${endpoint}?take=100000`)).map((record) => record.data);
