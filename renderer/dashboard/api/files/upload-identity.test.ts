import { describe, expect, it } from 'vitest';
import type { OwnerFile } from '../../../shared/api/contract.ts';
import { isUploadOf } from './upload-identity.ts';

const MODIFIED = 1_700_000_000_000;
const file = new File(['# Guide'], 'README.md', { lastModified: MODIFIED });
const upload = { name: 'README.md', source: 'project', tags: ['docs', 'en'], file, fileId: undefined };

const unfinishedUpload = (change: { tags?: string[]; received?: number; lastUpdated?: number } = {}): OwnerFile => {
  const { received = 3, ...fields } = { tags: ['docs', 'en'], lastUpdated: MODIFIED, ...change };
  const record = { name: 'README.md', source: 'project', status: { status: 'New' }, ...fields };
  return { file: record, from: 'owner', received } as OwnerFile;
};

describe('an unfinished upload', () => {
  it('is resumed with the same file from the same folder', () => {
    expect(isUploadOf(upload, unfinishedUpload())).toBe(true);
    expect(isUploadOf({ ...upload, tags: ['en', 'docs', 'en'] }, unfinishedUpload())).toBe(true);
  });

  it.each([
    ['from another folder', { tags: ['docs', 'de'] }],
    ['from the top folder', { tags: [] }],
    ['of which it has received more bytes than the file has', { received: file.size + 1 }],
    ['that was changed at another time', { lastUpdated: MODIFIED + 1 }],
  ])('is not resumed with a file of the same name %s', (_, change) => {
    expect(isUploadOf(upload, unfinishedUpload(change))).toBe(false);
  });
});
