import { describe, expect, it } from 'vitest';
import { digestJson } from '../../../../platform/json/canonical.ts';
import { COMPARED_ON_MAIN_THREAD_MAX_BYTES } from '../../../../wire/work-limits.ts';
import { fingerprintOf, isLargeJson, toComparedValue } from './fingerprint.ts';

const textOf = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;

describe('fingerprints', () => {
  it('are whole numbers of 48 bits and do not change between releases', () => {
    expect(fingerprintOf('f'.repeat(64))).toBe(2 ** 48 - 1);
    expect(fingerprintOf('0'.repeat(64))).toBe(0);
    expect(fingerprintOf(digestJson('{"b":1.0,"a":[100,"a"],"":-0}'))).toBe(217_705_848_900_370);
  });
});

describe('the digest of a value', () => {
  it('is computed on the main thread only if the text is small', () => {
    const smallText = textOf(COMPARED_ON_MAIN_THREAD_MAX_BYTES);
    expect(toComparedValue(smallText)).toStrictEqual({ digest: digestJson(smallText), text: smallText });
    expect(toComparedValue(Buffer.from(smallText))).toStrictEqual({ digest: digestJson(smallText), text: smallText });
    const largeText = textOf(COMPARED_ON_MAIN_THREAD_MAX_BYTES + 1);
    expect(() => toComparedValue(largeText)).toThrow('must be computed in a worker thread');
    expect(() => toComparedValue(Buffer.from(largeText))).toThrow('must be computed in a worker thread');
    expect(toComparedValue(largeText, 'd')).toStrictEqual({ digest: 'd', text: undefined });
  });
});

describe('isLargeJson', () => {
  it('counts bytes, not characters', () => {
    const text = `"${'ä'.repeat(COMPARED_ON_MAIN_THREAD_MAX_BYTES / 2)}"`;
    expect([text.length < COMPARED_ON_MAIN_THREAD_MAX_BYTES, isLargeJson(text)]).toStrictEqual([true, true]);
  });
});
