import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Remote functions served by a web service written in Perl: `function-web-service.pl`.

const PROGRAM = join(import.meta.dirname, 'function-web-service.pl');

export const hasPerl = (): boolean => spawnSync('perl', ['-c', PROGRAM]).status === 0;

export type FunctionOperation = 'configuration' | 'data-bundle' | 'process';

export type WebService = {
  readonly base: string;
  /** Returns the requests to a function in order: operation, path, and size of the body in bytes. */
  requestsTo(id: string): { operation: FunctionOperation; path: string; bytes: number }[];
  /** Returns log lines of requests that belong to no function. */
  unknownRequests(): string[];
  close(): Promise<void>;
};

const operationOf = (path: string): FunctionOperation => {
  if (path.endsWith('/configuration')) return 'configuration';
  return path.includes('/data-bundle') ? 'data-bundle' : 'process';
};

export const startWebService = async (): Promise<WebService> => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-web-service-'));
  const log = join(folder, 'requests.log');
  // The web service exits when its standard input closes, which also happens if this process is killed.
  const child = spawn('perl', [PROGRAM, log], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the web service exited before it started listening')));
    child.stdout.setEncoding('utf8').once('data', (line: string) => resolve(line.trim()));
  });
  const readLogLines = (): string[] => {
    try {
      return readFileSync(log, 'utf8').split('\n').filter(Boolean);
    } catch {
      // The log does not exist before the first request.
      return [];
    }
  };
  return {
    base: `http://127.0.0.1:${port}/fn`,
    requestsTo: (id) =>
      readLogLines()
        .map((line) => line.split(' '))
        .filter(([, path = '']) => path.startsWith(`/fn/${id}/`))
        .map(([, path = '', bytes]) => ({ operation: operationOf(path), path, bytes: Number(bytes) })),
    unknownRequests: () => readLogLines().filter((line) => !/^\S+ \/fn\//u.test(line)),
    async close() {
      child.stdin.end();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
