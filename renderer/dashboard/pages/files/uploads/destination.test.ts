import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../../../../server/wire/limits.ts';
import { LOOSE, fromChooser, sortFound } from './destination.ts';

const file = (name: string, size = 1): File => {
  const made = new File(['x'], name);
  Object.defineProperty(made, 'size', { value: size });
  return made;
};

const places = (found: Parameters<typeof sortFound>[0], source = '') =>
  sortFound(found, source).uploads.map(({ name, source: to, tags }) => ({ name, to, tags }));

describe('where a dropped file goes', () => {
  it('a folder names the source, the folders in it are tags', () => {
    expect(places([{ file: file('a.jpg'), folders: ['photos', '2024', 'Rome'] }])).toEqual([
      { name: 'a.jpg', to: 'photos', tags: ['2024', 'Rome'] },
    ]);
  });

  it('a folder of the same name within itself is one tag', () => {
    expect(places([{ file: file('a'), folders: ['s', 'x', 'y', 'x'] }])[0]?.tags).toEqual(['x', 'y']);
  });

  it('a file in no folder goes to the source that is looked at, or to the one for all such', () => {
    expect(places([{ file: file('a'), folders: [] }], 'letters')[0]?.to).toBe('letters');
    expect(places([{ file: file('a'), folders: [] }])[0]?.to).toBe(LOOSE);
  });

  it('a chosen folder is known by the paths of its files', () => {
    const chosen = file('a.jpg');
    Object.defineProperty(chosen, 'webkitRelativePath', { value: 'photos/2024/a.jpg' });
    const loose = file('b.jpg');
    Object.defineProperty(loose, 'webkitRelativePath', { value: '' });
    expect(fromChooser([chosen, loose]).map(({ folders }) => folders)).toEqual([['photos', '2024'], []]);
  });
});

describe('what is not taken', () => {
  it('files of the operating system are counted and left out', () => {
    const found = ['.DS_Store', 'Thumbs.db', '._a.jpg', 'desktop.ini', 'mine.db'].map((name) => ({
      file: file(name),
      folders: ['s'],
    }));
    const sorted = sortFound(found, '');
    expect(sorted.leftOut).toBe(4);
    expect(sorted.uploads.map(({ name }) => name)).toEqual(['mine.db']);
  });

  it('a file that is too large, or whose name is too long, is named', () => {
    const long = `${'ä'.repeat(130)}.txt`;
    const sorted = sortFound(
      [
        { file: file('film.mkv', MAX_FILE_BYTES + 1), folders: [] },
        { file: file(long), folders: [] },
        { file: file('fits.mkv', MAX_FILE_BYTES), folders: [] },
      ],
      '',
    );
    expect(sorted.tooLarge).toEqual(['film.mkv']);
    expect(sorted.tooLong).toEqual([long]);
    expect(sorted.uploads.map(({ name }) => name)).toEqual(['fits.mkv']);
  });
});
