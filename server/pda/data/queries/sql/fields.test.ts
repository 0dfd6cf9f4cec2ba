import { describe, expect, it } from 'vitest';
import { LARGE_ARRAY_KEY, ORDER_KEY_BYTES_MAX, ORDERED_JSON_BYTES_MAX } from '../language/json-order.ts';
import { openRecords } from './database.test-support.ts';
import { datePartSql, fieldSql, timestampPartSql } from './fields.ts';

/** Evaluates an expression on a record whose field `a` has the value. */
const evaluate = (sql: string, value: unknown): unknown =>
  openRecords()
    .prepare(`SELECT ${sql} FROM (SELECT ? AS data)`)
    .pluck()
    .get(JSON.stringify({ a: value }));

describe('the SQL of a field', () => {
  it('gives all arrays above the size limit the same sort key, whether their text or their JSONB exceeds it', () => {
    const { sortKey } = fieldSql('a');
    const atLimit = ['x'.repeat(ORDERED_JSON_BYTES_MAX - 4)];
    const aboveLimit = ['x'.repeat(ORDERED_JSON_BYTES_MAX - 3)];
    const emptyStrings = Array.from({ length: ORDERED_JSON_BYTES_MAX * 10 }, () => '');
    const nestedArrays = JSON.parse(`[${'['.repeat(900)}${']'.repeat(900)}]`) as unknown;
    const controlCharacters = Array.from({ length: ORDERED_JSON_BYTES_MAX }, () => '\n\u0001');
    expect(evaluate(sortKey, atLimit)).not.toEqual(LARGE_ARRAY_KEY);
    expect(evaluate(sortKey, nestedArrays)).not.toEqual(LARGE_ARRAY_KEY);
    for (const largeValue of [aboveLimit, emptyStrings, controlCharacters])
      expect(evaluate(sortKey, largeValue)).toEqual(LARGE_ARRAY_KEY);
  });

  it('extracts no part from a text that only begins with a date or a timestamp', () => {
    const padding = ' '.repeat(ORDER_KEY_BYTES_MAX);
    const year = datePartSql(fieldSql('a'), 'year');
    expect(evaluate(year, '2026-01-02')).toBe(2026);
    expect(evaluate(year, `2026-01-02${padding}`)).toBeNull();
    expect(evaluate(year, `2026-01-02${'ä'.repeat(ORDER_KEY_BYTES_MAX)}`)).toBeNull();
    const epoch = timestampPartSql(fieldSql('a'), 'epoch');
    expect(evaluate(epoch, '1700000000')).toBe(1_700_000_000);
    expect(evaluate(epoch, `1700000000${padding}`)).toBeNull();
  });
});
