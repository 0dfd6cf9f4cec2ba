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

export function titleOf({ file }: OwnerFile): string {
  return file.title === undefined || file.title.trim() === '' ? file.name : file.title;
}

export function sizeOf({ file }: OwnerFile): number {
  return file.status.size ?? 0;
}

/** @param time milliseconds since the epoch, as in the API */
export function toIsoTime(time: number): string {
  return new Date(time).toISOString();
}
