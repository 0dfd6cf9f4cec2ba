import { describe, expect, it } from 'vitest';
import { lineSchemaOf } from './archive.ts';

describe('a line of an archive', () => {
  const schema = lineSchemaOf({ name: 'settings', about: '', members: 'id text, removed time?, canceled flag' });
  const line = { id: 'a', removed: null, canceled: true };

  it('has exactly the listed members', () => {
    expect(schema.parse(line)).toEqual(line);
    expect(schema.safeParse({ ...line, more: 1 }).success).toBe(false);
    expect(schema.safeParse({ id: 'a', canceled: true }).success).toBe(false);
  });

  it('of an older program can lack a flag, which is then false', () => {
    expect(schema.parse({ id: 'a', removed: null })).toEqual({ ...line, canceled: false });
  });
});
