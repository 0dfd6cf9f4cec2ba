import { describe, expect, it } from 'vitest';
import { type ProgressSample, CHUNK_MAX_BYTES, chunkBytes, estimateRemainingMs, addSample } from './upload-pace.ts';

describe('the size of a piece', () => {
  it('is the whole size while nothing is known, and on a quick line', () => {
    expect(chunkBytes(0)).toBe(CHUNK_MAX_BYTES);
    expect(chunkBytes(1e9)).toBe(CHUNK_MAX_BYTES);
  });

  it('shrinks with a slow line, but not to nothing', () => {
    expect(chunkBytes(400_000)).toBe(2_000_000);
    expect(chunkBytes(10)).toBe(512_000);
  });
});

describe('how long the rest takes', () => {
  const after = (seconds: number, bytes: number, files: number): ProgressSample => ({
    at: seconds * 1000,
    bytes,
    files,
  });

  it('is not guessed from too little', () => {
    expect(estimateRemainingMs([], { bytes: 1, files: 1 })).toBeUndefined();
    expect(estimateRemainingMs([after(0, 0, 0), after(1, 500, 1)], { bytes: 1, files: 1 })).toBeUndefined();
    expect(estimateRemainingMs([after(0, 0, 0), after(9, 0, 0)], { bytes: 1, files: 1 })).toBeUndefined();
  });

  it('is not guessed for a large file from the small ones before it', () => {
    expect(estimateRemainingMs([after(0, 0, 0), after(4, 3000, 3)], { bytes: 30e6, files: 1 })).toBeUndefined();
  });

  it('goes by the bytes for large files', () => {
    expect(estimateRemainingMs([after(0, 0, 0), after(4, 8e6, 0)], { bytes: 16e6, files: 1 })).toBe(8000);
  });

  it('goes by the number for small ones', () => {
    expect(estimateRemainingMs([after(0, 0, 0), after(4, 400, 40)], { bytes: 9600, files: 960 })).toBe(96_000);
  });

  it('forgets what is long past, and keeps one mark to measure from', () => {
    const marks = [0, 1, 2, 30, 31].reduce<ProgressSample[]>(
      (all, second) => addSample(all, after(second, second, 0)),
      [],
    );
    expect(marks.map(({ at }) => at / 1000)).toEqual([2, 30, 31]);
  });
});
