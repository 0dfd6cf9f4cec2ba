import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createQuota } from './quota.ts';

const OWNER = { kind: 'owner', application: null } as const;

it('does not release disk space that an incomplete upload has filled, while other uploads are running', async () => {
  const quota = createQuota({ usage: () => [], folder: tmpdir(), total: null, perApplication: 0 });
  const halfOfFreeBytes = Math.floor((await quota.freeDiskBytes()) / 2);
  const otherUpload = await quota.open(OWNER);
  const chunkUpload = await quota.open(OWNER);
  chunkUpload.reserve(halfOfFreeBytes);
  // All bytes of the chunk were written, but the file is still incomplete.
  chunkUpload.end(0, halfOfFreeBytes);
  expect(() => otherUpload.reserve(Math.floor(halfOfFreeBytes * 1.5))).toThrow('The disk is nearly full');
  // An upload that stores nothing releases its whole reservation.
  const abandonedUpload = await quota.open(OWNER);
  abandonedUpload.reserve(Math.floor(halfOfFreeBytes / 2));
  abandonedUpload.end(0);
  otherUpload.reserve(Math.floor(halfOfFreeBytes / 2));
  otherUpload.end(0);
  expect(quota.getUsedBytes()).toBe(0);
});
