import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import { blocksOf, expectOutputs, runBlocks } from './support/pages.ts';
import { ROOT } from './support/paths.ts';
import { createReader } from './support/reader.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Executes the operator's guide from beginning to end with PostgreSQL.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pda-operator-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.skipIf(!IS_THOROUGH_RUN)('every command of docs/operate.md has the documented result', async () => {
  const [exchange, contracts] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const page = (await readFile(join(ROOT, 'docs/operate.md'), 'utf8'))
    .replaceAll('postgres://me@db/exchange', exchange)
    .replaceAll('postgres://me@db/contracts', contracts)
    // Uses any free port.
    .replaceAll(/--port 809\d/gu, '--port 0');
  const blocks = blocksOf(page);
  const reader = await createReader(folder);
  const result = await runBlocks(blocks, { folder, setup: ['set -eo pipefail'], env: reader.env });
  await reader.close();
  expect(result.code, `${result.errors}\n${[...result.outputs.values()].flat().join('\n')}`).toBe(0);
  expectOutputs(blocks, result);
  // The output contains a token for the developer of the contract, and the audit log.
  const output = [...result.outputs.values()].flat().join('\n');
  expect(output).toMatch(/^token pda-contract-\S+$/mu);
  expect(output).toContain('study');
});
