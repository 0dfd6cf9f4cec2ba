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

/** Display name of a file: its title, or its name without one. */
export function titleOf({ file }: OwnerFile): string {
  return file.title === undefined || file.title.trim() === '' ? file.name : file.title;
}

export function sizeOf({ file }: OwnerFile): number {
  return file.status.size ?? 0;
}

/** Times of the interface are numbers; those of pages are ISO 8601. */
export function moment(time: number): string {
  return new Date(time).toISOString();
}
