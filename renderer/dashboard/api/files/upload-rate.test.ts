import { describe, expect, it } from 'vitest';
import {
  type ProgressSample,
  CHUNK_MAX_BYTES,
  chooseChunkBytes,
  estimateRemainingMs,
  addSample,
  sumRemainingWork,
} from './upload-rate.ts';

describe('chooseChunkBytes', () => {
  it('returns the maximum for an unknown speed and for fast connections', () => {
    expect(chooseChunkBytes(0)).toBe(CHUNK_MAX_BYTES);
    expect(chooseChunkBytes(1e9)).toBe(CHUNK_MAX_BYTES);
  });

  it('returns smaller sizes for slow connections, down to the minimum', () => {
    expect(chooseChunkBytes(400_000)).toBe(2_000_000);
    expect(chooseChunkBytes(10)).toBe(512_000);
  });
});

const sampleAt = (seconds: number, bytes: number, files: number): ProgressSample => ({
  timeMs: seconds * 1000,
  bytes,
  files,
});

describe('sumRemainingWork', () => {
  it('counts the missing bytes and files of open uploads, without failed ones', () => {
    const file = new File(['0123456789'], 'a.txt');
    const remaining = sumRemainingWork([
      { file, received: 0, state: 'waiting' },
      { file, received: 4, state: 'sending' },
      { file, received: 3, state: 'paused' },
      { file, received: 1, state: 'failed' },
      { file, received: 10, state: 'done' },
    ]);
    expect(remaining).toEqual({ bytes: 23, files: 3 });
  });
});

describe('estimateRemainingMs', () => {
  it('returns undefined until samples show enough time and progress', () => {
    expect(estimateRemainingMs([], { bytes: 1, files: 1 })).toBeUndefined();
    expect(estimateRemainingMs([sampleAt(0, 0, 0), sampleAt(1, 500, 1)], { bytes: 1, files: 1 })).toBeUndefined();
    expect(estimateRemainingMs([sampleAt(0, 0, 0), sampleAt(9, 0, 0)], { bytes: 1, files: 1 })).toBeUndefined();
  });

  it('does not extrapolate from small files to a large file', () => {
    expect(estimateRemainingMs([sampleAt(0, 0, 0), sampleAt(4, 3000, 3)], { bytes: 30e6, files: 1 })).toBeUndefined();
  });

  it('estimates large files by bytes', () => {
    expect(estimateRemainingMs([sampleAt(0, 0, 0), sampleAt(4, 8e6, 0)], { bytes: 16e6, files: 1 })).toBe(8000);
  });

  it('estimates small files by count', () => {
    expect(estimateRemainingMs([sampleAt(0, 0, 0), sampleAt(4, 4000, 40)], { bytes: 9600, files: 960 })).toBe(96_000);
  });
});

describe('addSample', () => {
  it('drops samples outside the window but keeps one as the baseline', () => {
    const samples = [0, 1, 2, 30, 31].reduce<ProgressSample[]>(
      (samplesSoFar, second) => addSample(samplesSoFar, sampleAt(second, second, 0)),
      [],
    );
    expect(samples.map(({ timeMs }) => timeMs / 1000)).toEqual([2, 30, 31]);
  });
});
