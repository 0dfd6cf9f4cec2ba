import {
  type Icon,
  IconFile,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconMovie,
  IconMusic,
  IconPhoto,
} from '@tabler/icons-react';
import type { FileKind, OwnerFile } from '../../../shared/api/contract.ts';

export const KIND_ICONS: Record<FileKind, Icon> = {
  image: IconPhoto,
  video: IconMovie,
  audio: IconMusic,
  document: IconFileTypePdf,
  text: IconFileText,
  archive: IconFileZip,
  other: IconFile,
};

/** Returns the display name of a file: its title, or its name if it has none. */
export function titleOf({ file }: OwnerFile): string {
  return file.title === undefined || file.title.trim() === '' ? file.name : file.title;
}

/** Returns the size of a file in bytes. */
export function sizeOf({ file }: OwnerFile): number {
  return file.status.size ?? 0;
}

/** Converts a time of the API, in milliseconds since the epoch, to ISO 8601. */
export function toIsoTime(time: number): string {
  return new Date(time).toISOString();
}
