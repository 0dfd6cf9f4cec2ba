import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/guest-paths.ts';
import { nameOfPath } from '../../folder/rules.ts';
import { guestPage, type FrameParts } from './frame.ts';
import {
  archiveLink,
  fileList,
  folderList,
  folderPath,
  pageLinks,
  type ArchiveState,
  type GuestFile,
} from './lists.ts';
import { GUEST_TEXTS } from './texts.ts';

export type GuestFolder = { sharedFolderId: string; name: string };

type FolderContent = {
  folder: GuestFolder;
  /** The open folder, relative to the shared folder. */
  path: string;
  /** Names of the subfolders; empty on all pages but the first. */
  subfolders: readonly string[];
  hasMoreSubfolders: boolean;
  files: readonly GuestFile[];
  page: number;
  hasMore: boolean;
  archive: ArchiveState;
};

const archivePath = (sharedFolderId: string, path: string): string =>
  `${GUEST_PATH}/folders/${sharedFolderId}/archive${path === '' ? '' : `?${new URLSearchParams({ path }).toString()}`}`;

const breadcrumbs = ({ folder, path }: FolderContent, frame: FrameParts): string => {
  const texts = GUEST_TEXTS[frame.language];
  const names = path === '' ? [] : path.split('/');
  const ancestors = [folder.name, ...names].slice(0, -1).map((name, index) => ({
    name,
    href: folderPath(folder.sharedFolderId, names.slice(0, index).join('/')),
  }));
  const links = ancestors.map(
    ({ name, href }) => `<li><a href="${escapeHtml(href)}"><bdi>${escapeHtml(name)}</bdi></a></li>`,
  );
  return `<ol class="path" aria-label="${texts.folderPath}"><li><a href="${GUEST_PATH}">${texts.back}</a></li>${links.join('')}</ol>`;
};

export const folderPage = (frame: FrameParts, content: FolderContent): string => {
  const { language } = frame;
  const texts = GUEST_TEXTS[language];
  const { folder, path, subfolders, files, page, hasMore } = content;
  const name = path === '' ? folder.name : nameOfPath(path);
  return guestPage(
    { ...frame, current: 'files' },
    {
      title: name,
      body: [
        breadcrumbs(content, frame),
        `<h1><bdi>${escapeHtml(name)}</bdi></h1>`,
        content.archive === 'none'
          ? `<p class="notice">${texts.emptyFolder}</p>`
          : archiveLink(frame, content.archive, archivePath(folder.sharedFolderId, path)),
        folderList(
          subfolders.map((subfolder) => ({
            name: subfolder,
            href: folderPath(folder.sharedFolderId, path === '' ? subfolder : `${path}/${subfolder}`),
          })),
        ),
        content.hasMoreSubfolders ? `<p class="secondary">${texts.moreFolders(subfolders.length)}</p>` : '',
        fileList(files, language),
        pageLinks(
          { page, hasMore },
          (number) => folderPath(folder.sharedFolderId, path, { page: String(number) }),
          texts,
        ),
      ].join('\n'),
    },
  );
};
