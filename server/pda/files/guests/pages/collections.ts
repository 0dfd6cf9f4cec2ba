import { escapeHtml } from '../../../../wire/html.ts';
import { GUEST_PATH } from '../../../../wire/guest-paths.ts';
import { guestPage, type FrameParts } from './frame.ts';
import {
  archiveLink,
  collectionPath,
  fileList,
  pageLinks,
  type ArchiveState,
  type GuestCollection,
  type GuestFile,
} from './lists.ts';
import { GUEST_TEXTS } from './texts.ts';

type CollectionContent = {
  collection: GuestCollection;
  files: readonly GuestFile[];
  page: number;
  hasMore: boolean;
  archive: ArchiveState;
};

export const collectionPage = (frame: FrameParts, content: CollectionContent): string => {
  const texts = GUEST_TEXTS[frame.language];
  const { collection, files, page, hasMore } = content;
  const path = collectionPath(collection.sharedCollectionId);
  return guestPage(
    { ...frame, current: 'files' },
    {
      title: collection.name,
      body: [
        `<ol class="path"><li><a href="${GUEST_PATH}">${texts.back}</a></li></ol>`,
        `<h1><bdi>${escapeHtml(collection.name)}</bdi></h1>`,
        content.archive === 'none'
          ? `<p class="notice">${texts.emptyCollection}</p>`
          : archiveLink(frame, content.archive, `${path}/archive`),
        fileList(files, frame.language),
        pageLinks({ page, hasMore }, (number) => `${path}?page=${number}`, texts),
      ].join('\n'),
    },
  );
};
