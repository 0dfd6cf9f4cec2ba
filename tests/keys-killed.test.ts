import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { decodeProtectedHeader, importSPKI, jwtVerify } from 'jose';
import { afterAll, expect, it } from 'vitest';
import { silentLog } from '../server/platform/log.ts';
import { createPda } from '../server/pda/pda.ts';
import { NODE, ROOT } from './support/paths.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { newHome, removeFolders } from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';

const KILLS = 100;

afterAll(removeFolders);

/**
 * Starts a process that rotates the signing key, and kills it `delayMs` milliseconds after it has printed `count`
 * tokens.
 * @returns all printed tokens
 */
const rotateUntilKilled = async (home: string, count: number, delayMs: number): Promise<string[]> => {
  const child = spawn(NODE, [join(ROOT, 'tests/support/rotate-keys.ts'), home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const tokens: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    tokens.push(line);
    if (tokens.length === count) setTimeout(() => child.kill('SIGKILL'), delayMs);
  });
  await once(child, 'close');
  return tokens;
};

it.skipIf(!IS_THOROUGH_RUN)(
  'a kill during a key rotation leaves either the old or the new signing key, and earlier signatures stay valid',
  { timeout: testTimeout(600_000) },
  async () => {
    const home = await newHome();
    const allTokens: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      // The delay is random, so that kills interrupt both the creation and the storing of a key.
      allTokens.push(...(await rotateUntilKilled(home, 2 - (kill % 2), Math.random() * 150)));
      const pda = await createPda({ home, log: silentLog() });
      const { port } = await pda.listen();
      const signingKeys = pda.owner.keys().filter(({ retired }) => !retired);
      expect(signingKeys).toHaveLength(1);
      for (const token of allTokens) expect((await pda.owner.authenticate(token)).principal.kind).toBe('owner');
      const from = { address: '127.0.0.1', host: `127.0.0.1:${port}`, local: true, userAgent: '' };
      const { accessToken } = await pda.owner.signIn(OWNER.name, OWNER.password, from);
      expect(decodeProtectedHeader(accessToken).kid).toBe(signingKeys[0]?.kid);
      // The published key is the signing key.
      await jwtVerify(accessToken, await importSPKI(pda.owner.publicKey(), 'RS256'));
      allTokens.push(accessToken);
      await pda.close();
    }
    expect(allTokens.length).toBeGreaterThan(KILLS);
  },
);
