import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/guest-paths.ts';
import { MAX_ARCHIVE_FILES } from '../../../../wire/limits.ts';
import type { FileKind } from '../../../../wire/files.ts';
import type { Language } from '../../../../wire/language.ts';
import { numberText, sizeText, timeText } from '../../page-format.ts';
import { messagePage, type FrameParts } from './frame.ts';
import { GUEST_TEXTS } from './texts.ts';

export type GuestFile = {
  fileId: string;
  name: string;
  title: string | null;
  description: string | null;
  bytes: number;
  /** Unix milliseconds. */
  updated: number;
  kind: FileKind;
  isInline: boolean;
  isReadable: boolean;
  /** URL of the content if the owner previews the page. */
  contentUrl?: string;
};

export const allContentLink = (language: Language): string =>
  `<p><a class="button" href="${GUEST_PATH}">${GUEST_TEXTS[language].back}</a></p>`;

export const missingContentPage = (frame: FrameParts, kind: 'noFile' | 'noFolder' | 'noCollection'): string => {
  const texts = GUEST_TEXTS[frame.language];
  return messagePage(frame, texts[`${kind}Title`], texts[kind], allContentLink(frame.language));
};

const filePath = (fileId: string): string => `${GUEST_PATH}/files/${encodeURIComponent(fileId)}`;
export const contentPath = ({ fileId, contentUrl }: Pick<GuestFile, 'fileId' | 'contentUrl'>): string =>
  contentUrl ?? `${filePath(fileId)}/content`;

export const fileFactsHtml = (file: GuestFile, language: Language): string =>
  escapeHtml(`${sizeText(file.bytes, language)} · ${timeText(file.updated, language)}`);

export const downloadLink = (file: GuestFile, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const name = escapeHtml(file.name);
  return `<a href="${escapeHtml(contentPath(file))}" download="${name}" aria-label="${texts.download}: ${name}">${texts.download}</a>`;
};

const fileRow = (file: GuestFile, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const name = escapeHtml(file.name);
  const viewLink = file.isInline
    ? `<a href="${escapeHtml(filePath(file.fileId))}" aria-label="${texts.view}: ${name}">${texts.view}</a>`
    : '';
  const actions = file.isReadable
    ? `${viewLink}${downloadLink(file, language)}`
    : `<span class="secondary">${texts.onlyName}</span>`;
  return `<li><span><bdi>${name}</bdi><small>${fileFactsHtml(file, language)}</small></span><span class="actions">${actions}</span></li>`;
};

export type ArchiveState = 'offered' | 'none' | 'too-many';

/** Renders a download link; in a preview by the owner, only its text. @param text escaped */
export const downloadLinkWith = (text: string, href: string, isPreview = false): string =>
  isPreview
    ? `<p class="secondary">${text}</p>`
    : `<p><a class="button" href="${escapeHtml(href)}" download>${text}</a></p>`;

export const archiveLink = ({ language, isPreview }: FrameParts, state: ArchiveState, href: string): string => {
  const texts = GUEST_TEXTS[language];
  switch (state) {
    case 'offered':
      return downloadLinkWith(texts.downloadAll, href, isPreview);
    case 'too-many':
      return `<p class="secondary">${texts.tooManyForArchive(numberText(MAX_ARCHIVE_FILES, language))}</p>`;
    case 'none':
      return '';
  }
};

export const fileList = (files: readonly GuestFile[], language: Language): string =>
  files.length === 0 ? '' : `<ul>${files.map((file) => fileRow(file, language)).join('')}</ul>`;

export const pageLinks = (
  { page, hasMore }: { page: number; hasMore: boolean },
  pathOf: (page: number) => string,
  texts: { newer: string; older: string },
): string => {
  if (page === 1 && !hasMore) return '';
  const link = (number: number, text: string, rel: string): string =>
    `<a rel="${rel}" href="${escapeHtml(pathOf(number))}">${text}</a>`;
  const newer = page > 1 ? link(page - 1, texts.newer, 'prev') : '<span></span>';
  return `<div class="pagination">${newer}${hasMore ? link(page + 1, texts.older, 'next') : ''}</div>`;
};

/** @param path the open folder, relative to the shared folder */
export const folderPath = (sharedFolderId: string, path: string, query: Record<string, string> = {}): string => {
  const parameters = new URLSearchParams({ ...(path === '' ? {} : { path }), ...query }).toString();
  return `${GUEST_PATH}/folders/${sharedFolderId}${parameters === '' ? '' : `?${parameters}`}`;
};

export type GuestCollection = { sharedCollectionId: string; name: string };

export const collectionPath = (sharedCollectionId: string): string => `${GUEST_PATH}/collections/${sharedCollectionId}`;

const svgIcon = (path: string): string =>
  `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true"><path d="${path}"/></svg>`;

const FOLDER_ICON = svgIcon('M5 4h4l3 3h7a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-11a2 2 0 0 1 2 -2');
const COLLECTION_ICON = svgIcon('M12 4l-8 4l8 4l8 -4l-8 -4M4 12l8 4l8 -4M4 16l8 4l8 -4');

type ListLink = { name: string; href: string; icon: string };

const linkList = (links: readonly ListLink[]): string =>
  links.length === 0
    ? ''
    : `<ul class="link-list">${links
        .map(
          ({ name, href, icon }) => `<li><a href="${escapeHtml(href)}">${icon}<bdi>${escapeHtml(name)}</bdi></a></li>`,
        )
        .join('')}</ul>`;

export const folderList = (folders: readonly Omit<ListLink, 'icon'>[]): string =>
  linkList(folders.map((folder) => ({ ...folder, icon: FOLDER_ICON })));

export const collectionList = (collections: readonly GuestCollection[]): string =>
  linkList(
    collections.map(({ sharedCollectionId, name }) => ({
      name,
      href: collectionPath(sharedCollectionId),
      icon: COLLECTION_ICON,
    })),
  );

export type GuestView = { sharedViewId: string; kind: 'table' | 'chart'; name: string };

export const viewPath = (kind: GuestView['kind'], sharedViewId: string): string =>
  `${GUEST_PATH}/${kind}s/${sharedViewId}`;

const VIEW_ICONS: Readonly<Record<GuestView['kind'], string>> = {
  table: svgIcon('M4 5h16v14h-16zM4 10h16M10 5v14'),
  chart: svgIcon('M4 20h16M6 20v-8h3v8M11 20v-14h3v14M16 20v-5h3v5'),
};

export const viewList = (views: readonly GuestView[]): string =>
  linkList(
    views.map(({ sharedViewId, kind, name }) => ({ name, href: viewPath(kind, sharedViewId), icon: VIEW_ICONS[kind] })),
  );
