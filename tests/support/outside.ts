import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

// Three networks on one machine: for the relay, the PDA and a remote client. The relay is linked to both other
// networks, which have no link to each other, so all traffic passes through the relay.

export const RELAY_DOMAIN = 'relay.test';
export const LINKS = {
  pda: { name: 'home', farName: 'home-far', relay: '10.77.1.1', address: '10.77.1.2' },
  client: { name: 'world', farName: 'world-far', relay: '10.77.2.1', address: '10.77.2.2' },
} as const;
export type Link = (typeof LINKS)[keyof typeof LINKS];

export const APPLICATION = 'walks';
export const CALLBACK = 'https://walks.example.com/callback';

/** Confidential content exchanged between the client and the PDA. */
export const CANARIES = {
  record: 'canaryRecordSparrow',
  endpoint: 'canaryendpointwren',
  fileName: 'canary-file-swift.txt',
  content: 'canaryContentHeron',
  purpose: 'canaryPurposeThrush',
};
/** Sent without encryption, to prove that the search finds words in each encoding. */
export const UNENCRYPTED_CANARY = 'canaryVisiblePeacock';

/** Results that the remote client prints as JSON. */
export type ClientReport = {
  /** Issuers of the received tokens, host[:port]. */
  issuers: string[];
  tokens: string[];
  /** URL to which the application's token was sent. */
  tokenRecipient: string;
  contentOrigins: string[];
  isSameContent: boolean;
  contentBytes: number;
  records: string;
  values: string;
};
/** Result of the capture at the relay, and the client's report. */
export type CaptureReport = { port: number; lostPackets: number; client: ClientReport };

const run = promisify(execFile);
export const ip = async (...args: string[]): Promise<void> => void (await run('ip', args));

/** Configures the network interface at this end of a link to the relay. */
export const joinLink = async ({ farName, address, relay }: Link): Promise<void> => {
  await ip('link', 'set', 'lo', 'up');
  await ip('addr', 'add', `${address}/24`, 'dev', farName);
  await ip('link', 'set', farName, 'up');
  await ip('route', 'add', 'default', 'via', relay);
};

/** A process controlled line by line. It exits when its standard input closes. */
export type ControlledProcess = {
  pid: number;
  writeLine(line: string): void;
  readLine(): Promise<string>;
  end(): Promise<void>;
};

export const startControlledProcess = (command: string, args: readonly string[]): ControlledProcess => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const closeEvent = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    writeLine: (line) => void child.stdin.write(`${line}\n`),
    async readLine() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${command} ${args.join(' ')} has exited`);
      return value;
    },
    async end() {
      child.stdin.end();
      await closeEvent;
    },
  };
};
