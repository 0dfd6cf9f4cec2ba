import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/**
 * Three networks on one machine: that of the relay, which has a line to each of the other two, that of the PDA and that of a visitor. Between the last two
 * there is none: all that they say to each other goes by the relay.
 */

export const RELAY_DOMAIN = 'relay.test';
export const LINES = {
  pda: { name: 'home', far: 'home-far', relay: '10.77.1.1', address: '10.77.1.2' },
  visitor: { name: 'world', far: 'world-far', relay: '10.77.2.1', address: '10.77.2.2' },
} as const;
export type Line = (typeof LINES)[keyof typeof LINES];

export const APPLICATION = 'walks';
export const CALLBACK = 'https://walks.example.com/callback';

/** Content exchanged between visitor and PDA that must stay confidential. */
export const CANARIES = {
  record: 'canaryRecordSparrow',
  endpoint: 'canaryendpointwren',
  fileName: 'canary-file-swift.txt',
  content: 'canaryContentHeron',
  purpose: 'canaryPurposeThrush',
};
/** The same, by mistake, in the clear: who looks for words must find this one. */
export const VISIBLE = 'canaryVisiblePeacock';

/** What the visitor has seen. */
export type Journey = {
  /** host[:port] that stands in the tokens. */
  issuers: string[];
  tokens: string[];
  /** Where the application's token was sent to. */
  sentTo: string;
  /** Scheme and host of the addresses of content. */
  contentAt: string[];
  isSameContent: boolean;
  contentBytes: number;
  records: string;
  values: string;
};
/** What was seen of all of it where the relay stands. */
export type Report = { port: number; lost: number; journey: Journey };

const run = promisify(execFile);
export const ip = async (...words: string[]): Promise<void> => void (await run('ip', words));

/** In the network of the one whose end of the line it is. */
export const joinLine = async ({ far, address, relay }: Line): Promise<void> => {
  await ip('link', 'set', 'lo', 'up');
  await ip('addr', 'add', `${address}/24`, 'dev', far);
  await ip('link', 'set', far, 'up');
  await ip('route', 'add', 'default', 'via', relay);
};

/** A program that is spoken with by lines: it ends with its standard input. */
export type Partner = { pid: number; say(line: string): void; hear(): Promise<string>; end(): Promise<void> };

export const startPartner = (command: string, args: readonly string[]): Partner => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    say: (line) => void child.stdin.write(`${line}\n`),
    async hear() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${command} ${args.join(' ')} has ended`);
      return value;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
};
