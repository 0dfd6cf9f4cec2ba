import { compare } from '../../../shared/format/format.ts';

const ARCHIVE_NAME = /\.(?:zip|tgz|tar\.gz)$/i;
const MEDIA_TYPE = /^(?:image|video|audio)\//;

interface ChosenFiles {
  /** One import for all archives, and one for every remaining file. */
  imports: File[][];
  /** Pictures, videos and audio files. They contain no records and are added to Files. */
  media: File[];
}

export function groupChosenFiles(files: readonly File[]): ChosenFiles {
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
