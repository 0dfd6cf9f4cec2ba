import type { DesktopRequest, DesktopStatus } from '../../server/wire/desktop.ts';
import { isolateText } from '../../server/wire/isolation.ts';
import { en, type Texts } from '../texts/en.ts';

/** Button of a notification. Dismissing the notification triggers no button. */
export type NotificationButton = 'deny' | 'approve' | 'view';

export type RequestNotification = {
  readonly title: string;
  readonly body: string;
  /** `approve` is never first: some systems treat a click on the notification as a click on the first button. */
  readonly buttons: readonly NotificationButton[];
  /** null for a group of requests, for which a click shows the list. */
  readonly request: DesktopRequest | null;
};

export type Announcement = {
  readonly notification: RequestNotification | null;
  readonly announcedIds: readonly string[];
};

/** Many times the number of items in a status, so that a waiting request is hardly ever announced again. */
const MAX_ANNOUNCED_IDS = 500;

function supportsButtons(platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || platform === 'win32';
}

/**
 * Decides which notification announces the waiting requests. Each request is announced once. Several new requests share
 * one notification, which also covers the requests of a notification that is still shown.
 */
export function decideAnnouncement(
  status: Pick<DesktopStatus, 'requests' | 'requestsWaiting'>,
  announcedIds: readonly string[],
  isNotificationShown: boolean,
  platform: NodeJS.Platform,
  texts: Texts = en,
): Announcement {
  const { newItems: newRequests, announcedIds: nextIds } = selectUnannounced(
    status.requests,
    ({ permissionId }) => permissionId,
    announcedIds,
  );
  const [first] = newRequests;
  if (first === undefined) return { notification: null, announcedIds };
  if (newRequests.length === 1 && !(isNotificationShown && status.requestsWaiting > 1))
    return { notification: buildSingleNotification(first, platform), announcedIds: nextIds };
  return { notification: buildGroupNotification(status, platform, texts), announcedIds: nextIds };
}

/**
 * Returns the items that were not announced before, and the IDs to store.
 * @param items newest first
 * @param announcedIds oldest first
 */
export function selectUnannounced<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  announcedIds: readonly string[],
): { readonly newItems: readonly Item[]; readonly announcedIds: readonly string[] } {
  const announcedIdSet = new Set(announcedIds);
  const newItems = items.filter((item) => !announcedIdSet.has(idOf(item)));
  if (newItems.length === 0) return { newItems, announcedIds };
  // Oldest first, so that the newest remain when the list is truncated.
  const nextIds = [...announcedIds, ...newItems.map(idOf).toReversed()].slice(-MAX_ANNOUNCED_IDS);
  return { newItems, announcedIds: nextIds };
}

function buildSingleNotification(request: DesktopRequest, platform: NodeJS.Platform): RequestNotification {
  const buttons: readonly NotificationButton[] = request.fingerprint === null ? ['deny', 'view'] : ['deny', 'approve'];
  return { title: request.title, body: request.body, buttons: supportsButtons(platform) ? buttons : [], request };
}

const MAX_LISTED_NAMES = 3;
const MAX_NAME_CHARS = 40;

function buildGroupNotification(
  { requests, requestsWaiting }: Parameters<typeof decideAnnouncement>[0],
  platform: NodeJS.Platform,
  { quoted, notification }: Texts,
): RequestNotification {
  const names = [...new Set(requests.map(({ requester }) => requester))];
  const visibleNames = names
    .slice(0, MAX_LISTED_NAMES)
    .map((name) => quoted(isolateText(name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : name)));
  const hasMore = names.length > MAX_LISTED_NAMES || requestsWaiting > requests.length;
  return {
    title: notification.groupTitle(requestsWaiting),
    body: notification.groupBody(visibleNames.join(', '), hasMore),
    buttons: supportsButtons(platform) ? ['view'] : [],
    request: null,
  };
}
