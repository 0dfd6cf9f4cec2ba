import { compare } from '../../../shared/format/format.ts';

const ARCHIVE_NAME = /\.(?:zip|tgz|tar\.gz)$/i;
const MEDIA_TYPE = /^(?:image|video|audio)\//;

interface ChosenFiles {
  /** Archives that were chosen together form one import, every other file a separate one. */
  imports: File[][];
  /** Pictures, videos and audio files. They contain no records and are added to Files. */
  media: File[];
}

export function sortChosenFiles(files: readonly File[]): ChosenFiles {
  const {
    archives = [],
    media = [],
    others = [],
  } = Object.groupBy(files, ({ name, type }) => {
    if (ARCHIVE_NAME.test(name)) return 'archives';
    return MEDIA_TYPE.test(type) ? 'media' : 'others';
  });
  const singleFiles = others.map((file) => [file]);
  const sortedArchives = archives.toSorted((a, b) => compare(a.name, b.name));
  return { imports: archives.length === 0 ? singleFiles : [sortedArchives, ...singleFiles], media };
}
