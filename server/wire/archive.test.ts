import { describe, expect, it } from 'vitest';
import { lineSchemaOf } from './archive.ts';

describe('the schema of the lines of an archive part', () => {
  const schema = lineSchemaOf({ name: 'settings', about: '', members: 'id text, removed time?, canceled flag' });
  const line = { id: 'a', removed: null, canceled: true };

  it('rejects unlisted and missing members', () => {
    expect(schema.parse(line)).toEqual(line);
    expect(schema.safeParse({ ...line, more: 1 }).success).toBe(false);
    expect(schema.safeParse({ id: 'a', canceled: true }).success).toBe(false);
  });

  it('defaults a missing flag to false, because older programs did not write it', () => {
    expect(schema.parse({ id: 'a', removed: null })).toEqual({ ...line, canceled: false });
  });
});
