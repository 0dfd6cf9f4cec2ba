import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMPARED_ON_MAIN_THREAD_MAX_BYTES } from '../server/wire/work-limits.ts';
import { findInconsistencies } from './support/database-check.ts';
import { recordsOf, startTestPda, type TestPda } from './support/test-pda.ts';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
  const json = ['small', 'x'.repeat(COMPARED_ON_MAIN_THREAD_MAX_BYTES)];
  // The second request creates no records, because their data is already stored.
  for (const createdCount of [2, 0]) {
    const reply = await pda.call('POST', '/api/v2.6/data/d/values?skipErrors=true', { json });
    expect(recordsOf(reply)).toHaveLength(createdCount);
  }
  expect(findInconsistencies(pda.home)).toEqual([]);
});
afterEach(() => pda.close());

const damage = (sql: string): void => {
  const db = new Database(`${pda.home}/pda.sqlite`);
  db.exec(sql);
  db.close();
};

describe('the database check', () => {
  it.each([
    ["UPDATE record_digests SET digest = replace(digest, substr(digest, 1, 1), 'x')", /^the digest of record/u],
    ['UPDATE record_digests SET seq = 1', /^the digest of record 1 does not match/u],
    ['UPDATE record_digests SET endpoint = endpoint + 1', /^the digest of record/u],
    ['DELETE FROM record_digests', /has no fingerprint$/u],
    ['DELETE FROM fingerprints', /has no fingerprint$/u],
    ['UPDATE fingerprints SET fingerprint = fingerprint + 1', /belongs to no record$/u],
  ])('detects the damage done by %s', (sql, problem) => {
    damage(sql);
    expect(findInconsistencies(pda.home)).toContainEqual(expect.stringMatching(problem));
  });
});
