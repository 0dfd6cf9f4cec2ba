import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Functions behind a gateway that is written in another language: `function-gateway.pl`. */

const PROGRAM = join(import.meta.dirname, 'function-gateway.pl');

/** Every Debian has it, not every machine. */
export const hasPerl = (): boolean => spawnSync('perl', ['-c', PROGRAM]).status === 0;

/** Three operations. */
export type Operation = 'configuration' | 'data-bundle' | 'process';

export type Gateway = {
  readonly base: string;
  /** What was asked of a function, in order: method, address without its host, and bytes of the body. */
  asked(id: string): { operation: Operation; address: string; bytes: number }[];
  /** Lines of what was asked that belong to no function. */
  strays(): string[];
  close(): Promise<void>;
};

const operationOf = (address: string): Operation => {
  if (address.endsWith('/configuration')) return 'configuration';
  return address.includes('/data-bundle') ? 'data-bundle' : 'process';
};

export const startGateway = async (): Promise<Gateway> => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-gateway-'));
  const log = join(folder, 'asked');
  // It ends with its standard input, also when this process ends without a word.
  const child = spawn('perl', [PROGRAM, log], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the gateway ended before it listened')));
    child.stdout.setEncoding('utf8').once('data', (line: string) => resolve(line.trim()));
  });
  const lines = (): string[] => {
    try {
      return readFileSync(log, 'utf8').split('\n').filter(Boolean);
    } catch {
      // Nothing was asked yet.
      return [];
    }
  };
  return {
    base: `http://127.0.0.1:${port}/fn`,
    asked: (id) =>
      lines()
        .map((line) => line.split(' '))
        .filter(([, address = '']) => address.startsWith(`/fn/${id}/`))
        .map(([, address = '', bytes]) => ({ operation: operationOf(address), address, bytes: Number(bytes) })),
    strays: () => lines().filter((line) => !/^\S+ \/fn\//u.test(line)),
    async close() {
      child.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
