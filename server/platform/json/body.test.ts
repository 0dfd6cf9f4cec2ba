import { describe, expect, it } from 'vitest';
import { LARGE_BODY_BYTES } from '../../wire/limits.ts';
import { scanEnvelopeBody, scanJsonBody, scanValueBody } from './body.ts';
import { JSON_LIMITS, scanEnvelopes, scanJson, scanValue } from './text.ts';
import { IS_THOROUGH_RUN } from '../../../tests/support/long-run.ts';

/** Returns a body that leading white space makes large enough for the thread. */
const enlargeBody = (text: string): Buffer => Buffer.from(`${' '.repeat(LARGE_BODY_BYTES)}${text}`);

describe('a scan of a large body', () => {
  it.each([
    '[1, "ä", {"a": [1, 2]}, []]',
    '{"a" : "x"}',
    '[]',
    '"ä"',
    '[{"a":1,"a":2}]',
    '{"__proto__":1}',
    '[1,',
    '',
    `[${'[],'.repeat(20)}1]`,
  ])('has the same result as in the main thread: %s', async (text) => {
    expect(await scanJsonBody(enlargeBody(text))).toEqual(scanJson(enlargeBody(text)));
    const limits = { ...JSON_LIMITS, maxElements: 3 };
    expect(await scanJsonBody(enlargeBody(text), limits)).toEqual(scanJson(enlargeBody(text), limits));
    expect(await scanValueBody(enlargeBody(text))).toEqual(scanValue(enlargeBody(text)));
  });

  it.each([
    '[{"data": [1, 2], "endpoint": "a/b"}, {"endpoint":"a/c"}]',
    '{"data":1,"x":{"y":[]}}',
    '[1]',
    '[{"data":1',
  ])('splits envelopes as in the main thread: %s', async (text) => {
    expect(await scanEnvelopeBody(enlargeBody(text), 'data')).toEqual(scanEnvelopes(enlargeBody(text), 'data'));
  });

  it('refuses an object with large members besides the one that is kept as text', async () => {
    const largeText = 'x'.repeat(LARGE_BODY_BYTES + 1);
    expect(await scanEnvelopeBody(Buffer.from(`[{"data":1},\n{"data":1,"a":"${largeText}"}]`), 'data')).toMatchObject({
      ok: false,
      problem: 'large_members',
      position: 13,
      line: 2,
      cause: expect.stringMatching(/^Line 2: an object has more than/u),
    });
  });

  it.skipIf(!IS_THOROUGH_RUN)('accepts an object with a million names within the memory of the thread', async () => {
    const names = Array.from({ length: 1_000_000 }, (_, index) => `"${index.toString(36)}":0`);
    expect(await scanJsonBody(Buffer.from(`{${names.join(',')}}`))).toMatchObject({ ok: true, count: 1 });
  });
});
