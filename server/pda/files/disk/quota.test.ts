import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createQuota } from './quota.ts';

const OWNER = { kind: 'owner', application: null } as const;

it('does not release disk space that an incomplete upload has filled, while other uploads are running', async () => {
  const quota = createQuota({ usage: () => [], folder: tmpdir(), total: null, perApplication: 0 });
  const halfOfDisk = Math.floor((await quota.freeDiskBytes()) / 2);
  const otherUpload = await quota.open(OWNER);
  const chunkUpload = await quota.open(OWNER);
  chunkUpload.reserve(halfOfDisk);
  // All bytes were written, and the file is still incomplete.
  chunkUpload.end(0, halfOfDisk);
  expect(() => otherUpload.reserve(Math.floor(halfOfDisk * 1.5))).toThrow('The disk is nearly full');
  // A refused upload releases everything.
  const refusedUpload = await quota.open(OWNER);
  refusedUpload.reserve(Math.floor(halfOfDisk / 2));
  refusedUpload.end(0);
  otherUpload.reserve(Math.floor(halfOfDisk / 2));
  otherUpload.end(0);
  expect(quota.getUsedBytes()).toBe(0);
});
