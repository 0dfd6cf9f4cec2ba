import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { main as contractsMain } from '../server/contracts/commands.ts';
import { main as exchangeMain } from '../server/exchange/commands.ts';
import { main as networkMain } from '../server/network/commands.ts';
import { runHere } from './support/run-command.ts';

/** `npm run network` as it ships, and the tutorials: every command in them is run in it, every piece of code is that of the example. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NODE = join(ROOT, 'node_modules/node/bin/node');

let folder: string;
let network: ChildProcess;
let said = '';
let ended: Promise<number | null>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pda-sandbox-'));
  // Commands of the tutorials are written for the folder of the project, with the sandbox in it.
  for (const name of await readdir(ROOT)) if (name !== 'sandbox') await symlink(join(ROOT, name), join(folder, name));
  network = spawn(NODE, ['server/network/cli.ts', '--port', '0', '--home', join(folder, 'sandbox')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PDA_LOG_LEVEL: 'warn' },
  });
  ended = new Promise((resolve) => network.once('exit', (code) => resolve(code)));
  await new Promise<void>((resolve, reject) => {
    network.once('exit', () => reject(new Error(said)));
    network.stdout?.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      if (/^network listening on /mu.test(said)) resolve();
    });
  });
}, 120_000);
afterAll(async () => {
  // In order: killed, it could not end those that it started.
  network.kill('SIGTERM');
  await ended;
  await rm(folder, { recursive: true, force: true });
});

type Block = { kind: string; words: string };
const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(\w+(?: \w+)?)\n([\s\S]*?)^```$/gmu)].map(([, kind = '', words = '']) => ({ kind, words }));

/** What is written between the outputs of two commands. */
const MARK = '=== ';

/** One script for a page: its commands one after the other, as somebody who follows it would type them. */
const scriptOf = (blocks: readonly Block[]): string =>
  [
    'set -u',
    "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT",
    ...blocks.flatMap(({ kind, words }, at) => {
      if (kind === 'sh server')
        return [
          `(exec ${words.trim()}) > server.log 2>&1 &`,
          'until grep -q . server.log; do sleep 0.1; kill -0 $! || exit 1; done',
        ];
      // The sandbox is running.
      return kind === 'sh' && !words.startsWith('npm run network')
        ? [String.raw`printf '\n%s\n' '${MARK}${at}'`, words]
        : [];
    }),
  ].join('\n');

/** `…` stands for anything. */
const asPattern = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`))
      .join('.*')}$`,
    'u',
  );

/** Lines of code, whatever their indentation. */
const linesOf = (code: string): string =>
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
  it('shows code that is in the example', async () => {
    const blocks = blocksOf(await readFile(join(ROOT, 'docs', page), 'utf8'));
    const files = await Promise.all(
      (await readdir(join(ROOT, example))).map((name) => readFile(join(ROOT, example, name), 'utf8')),
    );
    const pieces = blocks.filter(({ kind }) => kind === 'ts' || kind === 'json');
    expect(pieces.length).toBeGreaterThan(0);
    for (const { words } of pieces) {
      // The last comma depends on what follows.
      const piece = linesOf(words).replace(/,$/u, '');
      expect(
        files.some((file) => linesOf(file).includes(piece)),
        words,
      ).toBe(true);
    }
  });

  it('shows commands that do what it says', async () => {
    const blocks = blocksOf(await readFile(join(ROOT, 'docs', page), 'utf8'));
    const bash = spawn('bash', ['-c', scriptOf(blocks)], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, errors] = await Promise.all([text(bash.stdout), text(bash.stderr)]);
    const outputs = new Map(
      out.split(new RegExp(`^${MARK}`, 'mu')).map((part) => {
        const [at = '', ...lines] = part.split('\n');
        return [Number(at), lines.join('\n').trimEnd().split('\n')] as const;
      }),
    );
    expect(errors).toBe('');
    let expectations = 0;
    for (const [at, { kind, words }] of blocks.entries()) {
      if (kind !== 'text') continue;
      expectations += 1;
      const lines = outputs.get(at - 1) ?? [];
      const patterns = words.trimEnd().split('\n').map(asPattern);
      expect(lines.length, lines.join('\n')).toBe(patterns.length);
      for (const [number, pattern] of patterns.entries()) expect(lines[number]).toMatch(pattern);
    }
    expect(expectations).toBeGreaterThan(1);
  }, 120_000);
});

/** What the guides tell a service to do: the words of a command, and its options. */
const commandsIn = (page: string): [program: string, words: string[], options: string[]][] =>
  [...page.matchAll(/npm run (exchange|contracts|network) -- ([^\n`|<]+)/gu)].map(([, program = '', rest = '']) => {
    const tokens = rest.split(/\s+/u).filter((token) => token !== '');
    const first = tokens.findIndex((token) => token.startsWith('-'));
    const options = tokens.flatMap((token) => /^\[?(--[a-z-]+)/u.exec(token)?.[1] ?? []);
    return [program, first === -1 ? tokens : tokens.slice(0, first), options];
  });

it.each([...GUIDES, 'operate.md', '../README.md'])('docs/%s names no command that there is not', async (page) => {
  const mains: Record<string, (argv: readonly string[]) => Promise<number>> = {
    exchange: exchangeMain,
    contracts: contractsMain,
    network: networkMain,
  };
  for (const [program, words, options] of commandsIn(await readFile(join(ROOT, 'docs', page), 'utf8'))) {
    const { code, stdout, stderr } = await runHere([...words, '--help'], mains[program]);
    expect([code, stderr], `${program} ${words.join(' ')}`).toEqual([0, '']);
    // Its own help, and not that of the group that it is thought to be in; what follows the name is an argument.
    const usage = /^Usage: (.*?) \[options\]/u.exec(stdout)?.[1] ?? '';
    expect([program, ...words].join(' ').startsWith(usage) && !usage.includes('['), usage).toBe(true);
    expect(stdout, `${program} ${words.join(' ')}`).not.toContain('[command]');
    for (const option of options) expect(stdout, `${program} ${words.join(' ')}`).toContain(`${option} `);
  }
});

describe('npm run network', () => {
  it('says addresses, names and passwords that work', async () => {
    const rows = [...said.matchAll(/^(?:PDA|exchange) +(http\S+) +(\S+) +(\S+)$/gmu)];
    expect(rows.map(([, , name]) => name)).toEqual(['ada', 'bea', 'operator', 'developer', 'marketplace', 'plugs']);
    const port = /network listening on http:\/\/127\.0\.0\.1:(\d+)/u.exec(said)?.[1] ?? '';
    for (const [, url = '', username = '', password = ''] of rows) {
      expect(new URL(url).port).toBe(port);
      const path = url.includes('exchange') ? '/api/users/access_token' : '/users/access_token';
      const asked = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', `username: ${username}`];
      const curl = spawn('curl', [...asked, '-H', `password: ${password}`, url + path]);
      expect(await text(curl.stdout), url).toBe('200');
    }
  });

  it('stops in order when it is told to, and keeps what it was told to keep', async () => {
    network.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(said).toMatch(/Stopping…\n$/u);
    for (const name of ['ada', 'bea']) expect(existsSync(join(folder, 'sandbox', name, 'pda.sqlite'))).toBe(true);
  });
});
