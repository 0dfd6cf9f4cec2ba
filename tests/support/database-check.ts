import { join } from 'node:path';
import { registerQueryFunctions } from '../../server/pda/data/queries/sql/functions.ts';
import { fingerprintOf } from '../../server/pda/data/records/deduplication/fingerprint.ts';
import { openReader, type Database } from '../../server/pda/storage/database.ts';
import { COMPARED_ON_MAIN_THREAD_MAX_BYTES } from '../../server/wire/work-limits.ts';

/** Runs a query on the database of a home, which a server may be using. */
export const readDatabase = <T>(home: string, query: (db: Database) => T): T => {
  const db = openReader(join(home, 'pda.sqlite'), registerQueryFunctions);
  try {
    return query(db);
  } finally {
    db.close();
  }
};

/** Returns the problems of the digests and fingerprints by which records are compared. */
const findComparisonProblems = (db: Database): string[] => {
  const problems: string[] = [];
  const wrongDigests = db
    .prepare<[], number>(
      `SELECT record_digests.seq FROM record_digests LEFT JOIN records ON records.seq = record_digests.seq
       WHERE record_digests.endpoint IS NOT records.endpoint OR record_digests.origin IS NOT records.origin
         OR (digest IS NOT NULL AND digest IS NOT pda_json_digest(data))`,
    )
    .pluck()
    .all();
  for (const seq of wrongDigests) problems.push(`the digest of record ${seq} does not match its data`);

  const largeCondition = `octet_length(data) > ${COMPARED_ON_MAIN_THREAD_MAX_BYTES}`;
  const coveredRecords = db
    .prepare<[], { endpoint: number; seq: number; digest: string | null; isPending: 0 | 1 }>(
      `SELECT records.endpoint, records.seq,
         CASE WHEN ${largeCondition} THEN digest ELSE pda_json_digest(data) END AS digest,
         ${largeCondition} AND record_digests.seq IS NOT NULL AND digest IS NULL AS isPending
       FROM endpoints JOIN records ON records.endpoint = endpoints.id AND records.seq <= fingerprinted_to
       LEFT JOIN record_digests ON record_digests.seq = records.seq
       WHERE deletion IS NOT 'for good'`,
    )
    .all();
  const entries = new Set(
    db
      .prepare<[], string>(
        `SELECT concat(endpoint, ' ', seq, ' ', fingerprint) FROM fingerprints
         WHERE endpoint NOT IN (SELECT id FROM endpoints WHERE deletion = 'for good')`,
      )
      .pluck()
      .all(),
  );
  for (const { endpoint, seq, digest, isPending } of coveredRecords) {
    const isFound = digest !== null && entries.delete(`${endpoint} ${seq} ${fingerprintOf(digest)}`);
    if (!isFound && isPending === 0) problems.push(`record ${seq} has no fingerprint`);
  }
  for (const entry of entries) problems.push(`the fingerprint ${entry} (endpoint, record, value) belongs to no record`);
  return problems;
};

/** Checks the database of a home. @returns a sentence for each inconsistency */
export const findInconsistencies = (home: string): string[] =>
  readDatabase(home, (db) => {
    const problems: string[] = [];
    const check = db.prepare<[], { integrity_check: string }>('PRAGMA integrity_check').all();
    problems.push(...check.map((row) => row.integrity_check).filter((text) => text !== 'ok'));

    const endpointRows = db
      .prepare<[], { path: string; records: number; bytes: number; count: number; stored: number; reported: number }>(
        `SELECT path, records, bytes,
           (SELECT count(*) FROM records WHERE endpoint = endpoints.id) AS count,
           (SELECT coalesce(sum(octet_length(data)), 0) FROM records WHERE endpoint = endpoints.id) AS stored,
           (SELECT coalesce(sum(CASE kind WHEN 'created' THEN count WHEN 'restored' THEN count WHEN 'deleted' THEN -count ELSE 0 END), 0)
              FROM events WHERE endpoint = endpoints.id) AS reported
         FROM endpoints WHERE path IS NOT NULL`,
      )
      .all();
    for (const { path, records, bytes, count, stored, reported } of endpointRows) {
      if (records !== count) problems.push(`${path} should have ${records} records but has ${count}`);
      if (bytes !== stored) problems.push(`${path} should have ${bytes} bytes but has ${stored}`);
      if (reported !== count)
        problems.push(`the events of ${path} add up to ${reported} records, but there are ${count}`);
    }

    const usage = (query: string): string[] =>
      db
        .prepare<[], string>(`SELECT concat(kind, ' ', name, ' ', bytes) AS line FROM (${query}) ORDER BY line`)
        .pluck()
        .all();
    const sums = (source: string, bytes: string, condition: string): string[] =>
      usage(`SELECT kind, name, sum(${bytes}) AS bytes FROM ${source} WHERE ${condition} GROUP BY kind, name`);
    const tables = 'records JOIN origins ON origins.id = origin JOIN endpoints ON endpoints.id = endpoint';
    for (const [table, expected, actual] of [
      ['record_usage', sums(tables, 'octet_length(data)', 'path IS NOT NULL'), usage('SELECT * FROM record_usage')],
      [
        'record_usage.endpoints',
        usage(
          `SELECT kind, name, count(DISTINCT endpoint) AS bytes FROM ${tables} WHERE path IS NOT NULL GROUP BY kind, name`,
        ),
        usage('SELECT kind, name, endpoints AS bytes FROM record_usage'),
      ],
      [
        'endpoint_usage',
        sums(tables, 'octet_length(data)', "deletion IS NOT 'for good'"),
        sums(
          'endpoint_usage JOIN endpoints ON endpoints.id = endpoint',
          'endpoint_usage.bytes',
          "deletion IS NOT 'for good'",
        ),
      ],
    ] as const)
      if (expected.join('\n') !== actual.join('\n'))
        problems.push(`${table} contains ${actual.join(', ')}, but the records add up to ${expected.join(', ')}`);

    const strayRecords = db
      .prepare<[], number>('SELECT count(*) FROM records WHERE endpoint NOT IN (SELECT id FROM endpoints)')
      .pluck()
      .get();
    if (strayRecords !== 0) problems.push(`${strayRecords} records belong to no endpoint`);

    const strayMoves = db
      .prepare<[], number>(
        `SELECT count(*) FROM record_moves WHERE seq NOT IN
           (SELECT seq FROM records UNION ALL SELECT seq FROM deleted_records)`,
      )
      .pluck()
      .get();
    if (strayMoves !== 0) problems.push(`${strayMoves} moves belong to no record`);

    const strayVersions = db
      .prepare<[], number>(
        `SELECT count(*) FROM record_versions WHERE seq NOT IN
           (SELECT seq FROM records UNION ALL SELECT seq FROM deleted_records UNION ALL SELECT seq FROM orphaned_versions)`,
      )
      .pluck()
      .get();
    if (strayVersions !== 0) problems.push(`${strayVersions} versions belong to no record`);
    const versionBytes = db
      .prepare<[], [number, number]>(
        'SELECT (SELECT bytes FROM record_version_bytes), (SELECT coalesce(sum(octet_length(data)), 0) FROM record_versions)',
      )
      .raw()
      .get();
    if (versionBytes?.[0] !== versionBytes?.[1])
      problems.push(`the versions should have ${versionBytes?.[0]} bytes but have ${versionBytes?.[1]}`);
    const textBytes = db
      .prepare<[], [number, number]>(
        'SELECT (SELECT bytes FROM file_text_progress), (SELECT coalesce(sum(octet_length(text)), 0) FROM file_texts)',
      )
      .raw()
      .get();
    if (textBytes?.[0] !== textBytes?.[1])
      problems.push(`the texts of files should have ${textBytes?.[0]} bytes but have ${textBytes?.[1]}`);
    return [...problems, ...findComparisonProblems(db)];
  });
