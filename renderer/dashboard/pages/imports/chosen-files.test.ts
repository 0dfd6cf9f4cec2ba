import { describe, expect, it } from 'vitest';
import { groupChosenFiles } from './chosen-files.ts';

const groupNames = (...files: [name: string, type: string][]) => {
  const { imports, media } = groupChosenFiles(files.map(([name, type]) => new File([], name, { type })));
  return { imports: imports.map((group) => group.map(({ name }) => name)), media: media.map(({ name }) => name) };
};

describe('files chosen together', () => {
  it('become one import each, except that all archives form one import', () => {
    expect(
      groupNames(['b.csv', 'text/csv'], ['takeout-2.zip', 'application/zip'], ['takeout-1.tgz', ''], ['a.json', '']),
    ).toEqual({ imports: [['takeout-1.tgz', 'takeout-2.zip'], ['b.csv'], ['a.json']], media: [] });
  });

  it('are added to Files if they are pictures, videos or audio', () => {
    expect(groupNames(['a.jpg', 'image/jpeg'], ['b.mp4', 'video/mp4'], ['c.mp3', 'audio/mpeg'], ['d.csv', ''])).toEqual(
      {
        imports: [['d.csv']],
        media: ['a.jpg', 'b.mp4', 'c.mp3'],
      },
    );
  });
});
