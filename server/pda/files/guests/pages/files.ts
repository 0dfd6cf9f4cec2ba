import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/invitations.ts';
import { MAX_ARCHIVE_FILES } from '../../../../wire/limits.ts';
import type { FileKind } from '../../../../wire/files.ts';
import type { Language } from '../../../../wire/language.ts';
import { sizeText, timeText } from '../../page-format.ts';
import { guestPage, messagePage, type FrameParts } from './frame.ts';
import { GUEST_TEXTS } from './texts.ts';

/** Pages with the files that are shared with a guest. */

export type GuestFile = {
  fileId: string;
  name: string;
  title: string | null;
  description: string | null;
  bytes: number;
  /** Unix milliseconds. */
  updated: number;
  kind: FileKind;
  /** True if browsers may show the content. */
  isInline: boolean;
  /** False if only the name is shared. */
  isReadable: boolean;
};

/** Returns the path of the page of a file. */
export const filePath = (fileId: string): string => `${GUEST_PATH}/files/${encodeURIComponent(fileId)}`;
const contentPath = (fileId: string): string => `${filePath(fileId)}/content`;

const facts = (file: GuestFile, language: Language): string =>
  escapeHtml(`${sizeText(file.bytes, language)} · ${timeText(file.updated, language)}`);

const downloadLink = (file: GuestFile, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const name = escapeHtml(file.name);
  return `<a href="${escapeHtml(contentPath(file.fileId))}" download="${name}" aria-label="${texts.download}: ${name}">${texts.download}</a>`;
};

const fileRow = (file: GuestFile, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const name = escapeHtml(file.name);
  const view = file.isInline
    ? `<a href="${escapeHtml(filePath(file.fileId))}" aria-label="${texts.view}: ${name}">${texts.view}</a>`
    : '';
  const actions = file.isReadable
    ? `${view}${downloadLink(file, language)}`
    : `<span class="soft">${texts.onlyName}</span>`;
  return `<li><span><bdi>${name}</bdi><small>${facts(file, language)}</small></span><span class="actions">${actions}</span></li>`;
};

/** A page of the list of files. `page` is counted from 1. */
export type FileListContent = {
  owner: string;
  files: readonly GuestFile[];
  page: number;
  hasMore: boolean;
  /** Whether all files can be downloaded as an archive: `none` without readable files. */
  archive: 'offered' | 'none' | 'too-many';
};

/** Renders the list of the files that are shared with a guest. */
export const fileListPage = (frame: FrameParts, content: FileListContent): string => {
  const { language } = frame;
  const texts = GUEST_TEXTS[language];
  const { files, page, archive } = content;
  const pageLink = (number: number, text: string, rel: string): string =>
    `<a rel="${rel}" href="${GUEST_PATH}?page=${number}">${text}</a>`;
  const more = [
    page > 1 ? pageLink(page - 1, texts.newer, 'prev') : '<span></span>',
    content.hasMore ? pageLink(page + 1, texts.older, 'next') : '',
  ];
  const archiveText = {
    offered: `<p><a class="button" href="${GUEST_PATH}/archive" download>${texts.downloadAll}</a></p>`,
    'too-many': `<p class="soft">${texts.tooManyForArchive(MAX_ARCHIVE_FILES)}</p>`,
    none: '',
  }[archive];
  return guestPage(
    { ...frame, current: 'files' },
    {
      title: texts.filesTitle,
      body: [
        `<h1>${texts.filesTitle}</h1><p class="soft">${escapeHtml(texts.filesOf(content.owner))}</p>`,
        files.length === 0 ? `<p class="notice">${texts.noFiles}</p>` : archiveText,
        files.length === 0 ? '' : `<ul>${files.map((file) => fileRow(file, language)).join('')}</ul>`,
        page > 1 || content.hasMore ? `<div class="more">${more.join('')}</div>` : '',
      ].join('\n'),
    },
  );
};

const preview = (file: GuestFile, language: Language): string => {
  const texts = GUEST_TEXTS[language];
  const source = escapeHtml(contentPath(file.fileId));
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

/** Renders the page of one file, with its picture, video or sound. */
export const filePage = (frame: FrameParts, file: GuestFile): string => {
  const { language } = frame;
  const texts = GUEST_TEXTS[language];
  const name = escapeHtml(file.name);
  const open = file.isInline
    ? `<a href="${escapeHtml(contentPath(file.fileId))}" aria-label="${texts.open}: ${name}">${texts.open}</a>`
    : '';
  const title = file.title === null ? '' : `<p><bdi>${escapeHtml(file.title)}</bdi></p>`;
  const description = file.description === null ? '' : `<p><bdi>${escapeHtml(file.description)}</bdi></p>`;
  return guestPage(frame, {
    title: file.name,
    body: [
      `<h1><bdi>${name}</bdi></h1><p class="soft">${facts(file, language)}</p>`,
      title,
      description,
      preview(file, language),
      `<p class="actions">${open}${downloadLink(file, language)}</p>`,
      `<p><a class="button" href="${GUEST_PATH}">${texts.back}</a></p>`,
    ].join('\n'),
  });
};

/** Renders the page of a file that is not shared with the guest. */
export const missingFilePage = (frame: FrameParts): string => {
  const texts = GUEST_TEXTS[frame.language];
  const back = `<p><a class="button" href="${GUEST_PATH}">${texts.back}</a></p>`;
  return messagePage(frame, texts.notFoundTitle, texts.notFound, back);
};

/** Renders the page that says that another archive is being downloaded. */
export const archiveBusyPage = (frame: FrameParts): string => {
  const texts = GUEST_TEXTS[frame.language];
  const back = `<p><a class="button" href="${GUEST_PATH}">${texts.back}</a></p>`;
  return messagePage(frame, texts.downloadAll, texts.archiveBusy, back);
};
