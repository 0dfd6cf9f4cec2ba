import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/guest-paths.ts';
import type { Language } from '../../../../wire/language.ts';
import { guestPage, messagePage, type FrameParts } from './frame.ts';
import {
  allContentLink,
  archiveLink,
  collectionList,
  contentPath,
  downloadLink,
  fileFactsHtml,
  fileList,
  folderList,
  folderPath,
  pageLinks,
  viewList,
  type ArchiveState,
  type GuestCollection,
  type GuestFile,
  type GuestView,
} from './lists.ts';
import { GUEST_TEXTS } from './texts.ts';

type FileListContent = {
  owner: string;
  files: readonly GuestFile[];
  page: number;
  hasMore: boolean;
  archive: ArchiveState;
  folders: readonly { sharedFolderId: string; name: string }[];
  collections: readonly GuestCollection[];
  views: readonly GuestView[];
};

export const fileListPage = (frame: FrameParts, content: FileListContent): string => {
  const { language } = frame;
  const texts = GUEST_TEXTS[language];
  const { files, folders, collections, views, page, hasMore, archive } = content;
  const isEmpty = page === 1 && [files, folders, collections, views].every(({ length }) => length === 0);
  return guestPage(
    { ...frame, current: 'files' },
    {
      title: texts.filesTitle,
      body: [
        `<h1>${texts.filesTitle}</h1><p class="secondary">${escapeHtml(texts.filesOf(content.owner))}</p>`,
        isEmpty ? `<p class="notice">${texts.nothingShared}</p>` : archiveLink(frame, archive, `${GUEST_PATH}/archive`),
        page > 1 ? '' : viewList(views),
        page > 1
          ? ''
          : folderList(folders.map(({ sharedFolderId, name }) => ({ name, href: folderPath(sharedFolderId, '') }))),
        page > 1 ? '' : collectionList(collections),
        fileList(files, language),
        pageLinks({ page, hasMore }, (number) => `${GUEST_PATH}?page=${number}`, texts),
      ].join('\n'),
    },
  );
};

const preview = (file: GuestFile, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const source = escapeHtml(contentPath(file));
  if (!file.isInline) return `<p class="notice">${texts.noPreview}</p>`;
  switch (file.kind) {
    case 'image':
      return `<img src="${source}" alt="${escapeHtml(file.title ?? file.name)}">`;
    case 'video':
      return `<video src="${source}" controls preload="metadata" aria-label="${escapeHtml(file.name)}"></video>`;
    case 'audio':
      return `<audio src="${source}" controls preload="metadata" aria-label="${escapeHtml(file.name)}"></audio>`;
    default:
      return '';
  }
};

export const filePage = (frame: FrameParts, file: GuestFile): string => {
  const { language } = frame;
  const texts = GUEST_TEXTS[language];
  const name = escapeHtml(file.name);
  const openLink = file.isInline
    ? `<a href="${escapeHtml(contentPath(file))}" aria-label="${texts.open}: ${name}">${texts.open}</a>`
    : '';
  const title = file.title === null ? '' : `<p><bdi>${escapeHtml(file.title)}</bdi></p>`;
  const description = file.description === null ? '' : `<p><bdi>${escapeHtml(file.description)}</bdi></p>`;
  return guestPage(frame, {
    title: file.name,
    body: [
      `<h1><bdi>${name}</bdi></h1><p class="secondary">${fileFactsHtml(file, language)}</p>`,
      title,
      description,
      preview(file, language),
      `<p class="actions">${openLink}${downloadLink(file, language)}</p>`,
      allContentLink(language),
    ].join('\n'),
  });
};

export const archiveBusyPage = (frame: FrameParts): string => {
  const texts = GUEST_TEXTS[frame.language];
  return messagePage(frame, texts.downloadAll, texts.archiveBusy, allContentLink(frame.language));
};
