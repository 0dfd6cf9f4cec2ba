import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH } from '../../../wire/limits.ts';
import { batchEntrySchema } from '../../../wire/records.ts';
import { parseEntries, requireWriteAccess } from './handlers.ts';

const parse = (json: string) => parseEntries(Buffer.from(json), batchEntrySchema, 10);

describe('parseEntries', () => {
  it('returns the entries with their data as JSON text', async () => {
    expect(await parse('[{"endpoint":"diary/days","data":{"n":1.0}}]')).toStrictEqual([
      { entry: { endpoint: 'diary/days' }, data: '{"n":1.0}' },
    ]);
  });

  it('accepts data that is nested as deeply as a record may be, and refuses deeper data', async () => {
    const entriesOf = (depth: number) => parse(`[{"endpoint":"a/b","data":${'['.repeat(depth)}${']'.repeat(depth)}}]`);
    expect(await entriesOf(MAX_JSON_DEPTH)).toHaveLength(1);
    await expect(entriesOf(MAX_JSON_DEPTH + 1)).rejects.toMatchObject({ code: 'invalid_json' });
  });

  it('reports the entry whose data is missing', async () => {
    await expect(parse('[{"endpoint":"diary/days","data":1},{"endpoint":"diary/days"}]')).rejects.toMatchObject({
      code: 'invalid_input',
      reason: 'Record 2: data: is missing. Nothing was stored.',
      details: [{ path: 'body.1.data', problem: 'is missing' }],
    });
  });

  it('reports the path of an invalid member', async () => {
    await expect(parse('[{"endpoint":7,"data":1}]')).rejects.toMatchObject({
      code: 'invalid_input',
      reason: expect.stringMatching(/^Record 1: endpoint: [^:]/u),
      details: [{ path: 'body.0.endpoint', problem: expect.any(String) }],
    });
  });

  it('reports an unrecognised member with the path of its entry', async () => {
    await expect(parse('[{"endpoint":"diary/days","data":1,"colour":"red"}]')).rejects.toMatchObject({
      code: 'invalid_input',
      reason: 'Record 1: has the unknown property "colour". Nothing was stored.',
      details: [{ path: 'body.0', problem: 'has the unknown property "colour"' }],
    });
  });
});

describe('requireWriteAccess', () => {
  it('throws unless the token allows writing to all namespaces', () => {
    const requireDiary = (...endpoints: string[]): void =>
      requireWriteAccess(endpoints, (namespace) => namespace === 'diary');
    expect(() => requireDiary('diary/days', 'diary/nights')).not.toThrow();
    expect(() => requireDiary('diary/days', 'fitness/steps')).toThrow(
      'This token does not allow writing to all of these namespaces. Nothing was stored.',
    );
  });
});
