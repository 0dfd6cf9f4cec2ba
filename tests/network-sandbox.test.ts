import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { main as contractsMain } from '../server/contracts/commands.ts';
import { main as exchangeMain } from '../server/exchange/commands.ts';
import { main as networkMain } from '../server/network/commands.ts';
import { copyPgliteTemplate, createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import { main as relayMain } from '../server/relay/commands.ts';
import { linkProject, blocksOf, expectOutputs, runBlocks } from './support/pages.ts';
import { NODE, ROOT } from './support/paths.ts';
import { runInProcess } from './support/run-command.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Runs `npm run network`, runs every command of the tutorials against it, and compares the code of the tutorials with
// the examples.

/** Many processes start one after another, which takes minutes on a busy machine. */
const TIMEOUT_MS = 480_000;
vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

const SERVICES = ['exchange', 'contracts'];
/** Copies empty databases into the sandbox, which saves time. @returns options of `npm run network` */
const prepareFolders = async (sandbox: string): Promise<string[]> => {
  for (const service of SERVICES) {
    await mkdir(join(sandbox, service));
    await copyPgliteTemplate(join(sandbox, service, 'database'));
  }
  return [];
};
/** Creates empty PostgreSQL databases. @returns options of `npm run network` */
const preparePostgres = async (): Promise<string[]> => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database });
  await client.connect();
  for (const service of SERVICES)
    await client.query(`CREATE DATABASE ${new URL(database).pathname.slice(1)}_${service}`);
  await client.end();
  return ['--database', database];
};

let folder: string;
let network: ChildProcess;
let output = '';
let exitCode: Promise<number | null>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pda-sandbox-'));
  // The commands assume that the sandbox is in the project folder.
  await linkProject(folder, ['sandbox']);
  const sandbox = join(folder, 'sandbox');
  await mkdir(sandbox);
  const databaseOptions = await (IS_THOROUGH_RUN ? prepareFolders(sandbox) : preparePostgres());
  network = spawn(NODE, ['server/network/cli.ts', '--port', '0', '--home', sandbox, ...databaseOptions], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PDA_LOG_LEVEL: 'warn' },
  });
  exitCode = new Promise((resolve) => network.once('exit', (code) => resolve(code)));
  await new Promise<void>((resolve, reject) => {
    network.once('exit', () => reject(new Error(output)));
    network.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (/^network listening on /mu.test(output)) resolve();
    });
  });
});
afterAll(async () => {
  vi.resetConfig();
  // A killed sandbox could not stop the processes that it started.
  network.kill('SIGTERM');
  await exitCode;
  await rm(folder, { recursive: true, force: true });
});

/** Removes indentation and empty lines, so that a snippet can be found in a file. */
const normalizeCode = (code: string): string =>
  code
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

const EXAMPLES = {
  'build-an-app.md': 'examples/app',
  'build-a-plug.md': 'examples/plug',
  'build-with-contracts.md': 'examples/contract-developer',
  'publish-an-offer.md': 'examples/marketplace',
};
const GUIDES = Object.keys(EXAMPLES);

describe.each(Object.entries(EXAMPLES))('docs/%s', (page, example) => {
  it('contains only code from the example', async () => {
    const blocks = blocksOf(await readFile(join(ROOT, 'docs', page), 'utf8'));
    const files = await Promise.all(
      (await readdir(join(ROOT, example))).map((name) => readFile(join(ROOT, example, name), 'utf8')),
    );
    const snippets = blocks.filter(({ kind }) => kind === 'ts' || kind === 'json');
    expect(snippets.length).toBeGreaterThan(0);
    for (const { text: code } of snippets) {
      // A trailing comma depends on the following line.
      const snippet = normalizeCode(code).replace(/,$/u, '');
      expect(
        files.some((file) => normalizeCode(file).includes(snippet)),
        code,
      ).toBe(true);
    }
  });

  it.skipIf(!IS_THOROUGH_RUN && page !== 'build-an-app.md')(
    'contains commands that have the described results',
    async () => {
      // `npm run network` starts the sandbox, which is already running.
      const blocks = blocksOf(await readFile(join(ROOT, 'docs', page), 'utf8')).filter(
        ({ text: command }) => !command.startsWith('npm run network'),
      );
      const result = await runBlocks(blocks, { folder });
      expect(result.errors).toBe('');
      expect(expectOutputs(blocks, result)).toBeGreaterThan(1);
    },
  );
});

/**
 * Extracts the commands of the services from a page: the program, the words before the first option, and the options.
 */
const commandsIn = (page: string): [program: string, words: string[], options: string[]][] =>
  [...page.matchAll(/npm run (exchange|contracts|relay|network) -- ([^\n`|<]+)/gu)].map(
    ([, program = '', args = '']) => {
      const tokens = args.split(/\s+/u).filter((token) => token !== '');
      const firstOption = tokens.findIndex((token) => token.startsWith('-'));
      const options = tokens.flatMap((token) => /^\[?(--[a-z-]+)/u.exec(token)?.[1] ?? []);
      return [program, firstOption === -1 ? tokens : tokens.slice(0, firstOption), options];
    },
  );

it.each([...GUIDES, 'operate.md', 'commands.md', 'http-api.md', '../README.md'])(
  'docs/%s names only existing commands and options',
  async (page) => {
    const mains: Record<string, (argv: readonly string[]) => Promise<number>> = {
      exchange: exchangeMain,
      contracts: contractsMain,
      relay: relayMain,
      network: networkMain,
    };
    for (const [program, words, options] of commandsIn(await readFile(join(ROOT, 'docs', page), 'utf8'))) {
      const { code, stdout, stderr } = await runInProcess([...words, '--help'], mains[program]);
      expect([code, stderr], `${program} ${words.join(' ')}`).toEqual([0, '']);
      // The help must belong to the command and not to its group. Words after its name are arguments.
      const usage = /^Usage: (.*?) \[options\]/u.exec(stdout)?.[1] ?? '';
      expect([program, ...words].join(' ').startsWith(usage) && !usage.includes('['), usage).toBe(true);
      expect(stdout, `${program} ${words.join(' ')}`).not.toContain('[command]');
      for (const option of options) expect(stdout, `${program} ${words.join(' ')}`).toContain(`${option} `);
    }
  },
);

describe('npm run network', () => {
  it('prints working addresses, names and passwords', async () => {
    const rows = [...output.matchAll(/^(?:PDA|exchange) +(http\S+) +(\S+) +(\S+)$/gmu)];
    expect(rows.map(([, , name]) => name)).toEqual(['ada', 'bea', 'operator', 'developer', 'marketplace', 'plugs']);
    const port = /network listening on http:\/\/127\.0\.0\.1:(\d+)/u.exec(output)?.[1] ?? '';
    for (const [, url = '', username = '', password = ''] of rows) {
      expect(new URL(url).port).toBe(port);
      const path = url.includes('exchange') ? '/api/users/access_token' : '/users/access_token';
      const curlOptions = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', `username: ${username}`];
      const curl = spawn('curl', [...curlOptions, '-H', `password: ${password}`, url + path]);
      expect(await text(curl.stdout), url).toBe('200');
    }
  });

  it('stops on SIGINT and keeps the data of its PDAs', async () => {
    network.kill('SIGINT');
    expect(await exitCode).toBe(0);
    expect(output).toMatch(/Stopping…\n$/u);
    for (const name of ['ada', 'bea']) expect(existsSync(join(folder, 'sandbox', name, 'pda.sqlite'))).toBe(true);
  });
});
