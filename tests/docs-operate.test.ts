import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshPostgres } from '../server/platform/postgres/database.test-support.ts';
import { blocksOf, expectShown, follow, ROOT } from './support/pages.ts';
import { asReader } from './support/reader.ts';

/** The operator's guide, typed from beginning to end against a PostgreSQL. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pda-operator-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('every command of docs/operate.md does what it says', async () => {
  const [exchange, contracts] = await Promise.all([freshPostgres(), freshPostgres()]);
  const page = (await readFile(join(ROOT, 'docs/operate.md'), 'utf8'))
    .replaceAll('postgres://me@db/exchange', exchange)
    .replaceAll('postgres://me@db/contracts', contracts)
    // Any that is free.
    .replaceAll(/--port 809\d/gu, '--port 0');
  const blocks = blocksOf(page);
  const reader = await asReader(folder);
  const ran = await follow(blocks, { folder, before: ['set -eo pipefail'], env: reader.env });
  await reader.close();
  expect(ran.code, `${ran.errors}\n${[...ran.outputs.values()].flat().join('\n')}`).toBe(0);
  expectShown(blocks, ran);
  // A token for the contract's developer, and the audit log.
  const said = [...ran.outputs.values()].flat().join('\n');
  expect(said).toMatch(/^token pda-contract-\S+$/mu);
  expect(said).toContain('study');
});
