import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEFINITION_BODY_MAX_BYTES, MAX_SHARED_RECORDS } from './limits.ts';
import { sharedDefinitionSchema } from './shared-views.ts';

const ID = '019bc186-de00-7abc-8937-015a1f841fa9';

const parse = (selection: object) =>
  sharedDefinitionSchema.safeParse({ kind: 'table', selection, columns: [{ path: 'n', name: 'N' }] });
const problemOf = (records: unknown): string => parse({ records }).error?.issues[0]?.message ?? '';

describe('the definition of a shared table', () => {
  it('contains the ids of selected records in lower case, and none by default', () => {
    expect(parse({ records: [ID.toUpperCase()] }).data).toMatchObject({ selection: { search: '', records: [ID] } });
    expect(parse({}).data).toEqual({
      kind: 'table',
      selection: { search: '', filters: [], sorts: [], oldestFirst: false },
      columns: [{ path: 'n', name: 'N' }],
    });
  });

  it('is rejected with repeated or malformed ids, too many ids or an empty list', () => {
    expect(problemOf([ID, ID.toUpperCase()])).toBe('must contain each record only once');
    for (const records of [[], ['1'], [1], ID, Array.from({ length: MAX_SHARED_RECORDS + 1 }, () => randomUUID())])
      expect(parse({ records }).success, JSON.stringify(records).slice(0, 50)).toBe(false);
  });

  it('with the maximum number of ids fits into a request', () => {
    const records = Array.from({ length: MAX_SHARED_RECORDS }, () => randomUUID());
    const { data } = parse({ records });
    expect(data).toMatchObject({ selection: { records } });
    expect(JSON.stringify(data).length).toBeLessThan(DEFINITION_BODY_MAX_BYTES / 10);
  });
});
