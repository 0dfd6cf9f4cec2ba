import { compare } from '../../../shared/format/format.ts';

const ARCHIVE_NAME = /\.(?:zip|tgz|tar\.gz)$/i;
const MEDIA_TYPE = /^(?:image|video|audio)\//;

/** Files chosen for an import, grouped by how they are processed. */
interface ChosenFiles {
  /** The files of each import. Archives that were chosen together form one import, every other file a separate one. */
  imports: File[][];
  /** Pictures, videos and sounds: they contain no records and are added to Files. */
  media: File[];
}

/** Sorts files that were chosen together. */
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
