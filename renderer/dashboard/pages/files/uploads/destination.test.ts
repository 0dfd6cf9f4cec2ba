import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../../../../server/wire/limits.ts';
import { DEFAULT_SOURCE, toLocalFiles, planUploads } from './destination.ts';

const file = (name: string, size = 1): File => {
  const newFile = new File(['x'], name);
  Object.defineProperty(newFile, 'size', { value: size });
  return newFile;
};

const destinations = (files: Parameters<typeof planUploads>[0], source = '') =>
  planUploads(files, source).uploads.map(({ name, source: to, tags }) => ({ name, to, tags }));

describe('planUploads', () => {
  it('uses the outermost folder as the source and the inner folders as tags', () => {
    expect(destinations([{ file: file('a.jpg'), folders: ['photos', '2024', 'Rome'] }])).toEqual([
      { name: 'a.jpg', to: 'photos', tags: ['2024', 'Rome'] },
    ]);
  });

  it('adds a repeated folder name as one tag', () => {
    expect(destinations([{ file: file('a'), folders: ['s', 'x', 'y', 'x'] }])[0]?.tags).toEqual(['x', 'y']);
  });

  it('uploads a file without a folder to the current source, or else to the default source', () => {
    expect(destinations([{ file: file('a'), folders: [] }], 'letters')[0]?.to).toBe('letters');
    expect(destinations([{ file: file('a'), folders: [] }])[0]?.to).toBe(DEFAULT_SOURCE);
  });
});

describe('toLocalFiles', () => {
  it('derives folders from the relative paths of selected files', () => {
    const nestedFile = file('a.jpg');
    Object.defineProperty(nestedFile, 'webkitRelativePath', { value: 'photos/2024/a.jpg' });
    const looseFile = file('b.jpg');
    Object.defineProperty(looseFile, 'webkitRelativePath', { value: '' });
    expect(toLocalFiles([nestedFile, looseFile]).map(({ folders }) => folders)).toEqual([['photos', '2024'], []]);
  });
});

describe('planUploads with unsuitable files', () => {
  it('skips and counts operating system files', () => {
    const files = ['.DS_Store', 'Thumbs.db', '._a.jpg', 'desktop.ini', 'mine.db'].map((name) => ({
      file: file(name),
      folders: ['s'],
    }));
    const plan = planUploads(files, '');
    expect(plan.skippedCount).toBe(4);
    expect(plan.uploads.map(({ name }) => name)).toEqual(['mine.db']);
  });

  it('reports files that are too large or whose names are too long', () => {
    const longName = `${'ä'.repeat(130)}.txt`;
    const plan = planUploads(
      [
        { file: file('film.mkv', MAX_FILE_BYTES + 1), folders: [] },
        { file: file(longName), folders: [] },
        { file: file('fits.mkv', MAX_FILE_BYTES), folders: [] },
      ],
      '',
    );
    expect(plan.tooLarge).toEqual(['film.mkv']);
    expect(plan.tooLong).toEqual([longName]);
    expect(plan.uploads.map(({ name }) => name)).toEqual(['fits.mkv']);
  });
});
