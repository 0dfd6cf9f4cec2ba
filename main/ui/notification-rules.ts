import type { DesktopRequest, DesktopStatus } from '../../server/wire/desktop.ts';
import { isolated } from '../../server/wire/isolation.ts';
import { en, type Texts } from '../texts/en.ts';

/** Button of a notification. Dismissing a notification never triggers one. */
export type NoteButton = 'deny' | 'approve' | 'look';

/** A notification to show. */
export type Note = {
  readonly title: string;
  readonly body: string;
  /** In this order. `approve` is never first: some systems treat a click on the notification as the first button. */
  readonly buttons: readonly NoteButton[];
  /** The request that it is about; null: several, and a click shows the list. */
  readonly about: DesktopRequest | null;
};

export type Announcement = {
  /** null: there is nothing new. */
  readonly note: Note | null;
  /** IDs of all permissions that were announced and may still wait, to be stored. */
  readonly announced: readonly string[];
};

/** Larger than the number of requests in a status, so that no waiting request is announced twice. */
const MAX_ANNOUNCED = 500;

/** Returns true on systems whose notifications have buttons and report clicks on them. */
function hasButtons(platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || platform === 'win32';
}

/**
 * Selects the notification for the waiting requests. Each request is announced once; several new ones share one
 * notification, as does one that arrives while another notification is shown.
 * @param announced IDs of permissions, oldest first
 * @param isOneShown a notification about requests is shown and not answered
 */
export function announceRequests(
  status: Pick<DesktopStatus, 'requests' | 'requestsWaiting'>,
  announced: readonly string[],
  isOneShown: boolean,
  platform: NodeJS.Platform,
  texts: Texts = en,
): Announcement {
  const { fresh, announced: next } = selectUnannounced(status.requests, ({ permissionId }) => permissionId, announced);
  const [first] = fresh;
  if (first === undefined) return { note: null, announced };
  if (fresh.length === 1 && !(isOneShown && status.requestsWaiting > 1))
    return { note: oneNote(first, platform), announced: next };
  return { note: manyNote(status, platform, texts), announced: next };
}

/** Returns the items that were not announced before, and the IDs to store. @param announced IDs, oldest first */
export function selectUnannounced<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  announced: readonly string[],
): { readonly fresh: readonly Item[]; readonly announced: readonly string[] } {
  const announcedIds = new Set(announced);
  const fresh = items.filter((item) => !announcedIds.has(idOf(item)));
  if (fresh.length === 0) return { fresh, announced };
  // Older ones first, so that the newest remain when there are too many.
  return { fresh, announced: [...announced, ...fresh.map(idOf).toReversed()].slice(-MAX_ANNOUNCED) };
}

function oneNote(request: DesktopRequest, platform: NodeJS.Platform): Note {
  const buttons: readonly NoteButton[] = request.fingerprint === null ? ['deny', 'look'] : ['deny', 'approve'];
  return { title: request.title, body: request.body, buttons: hasButtons(platform) ? buttons : [], about: request };
}

const MAX_NAMES = 3;
const MAX_NAME_CHARS = 40;

function manyNote(
  { requests, requestsWaiting }: Parameters<typeof announceRequests>[0],
  platform: NodeJS.Platform,
  { quoted, notification }: Texts,
): Note {
  const names = [...new Set(requests.map(({ asker }) => asker))];
  const visibleNames = names
    .slice(0, MAX_NAMES)
    .map((name) => quoted(isolated(name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : name)));
  const isMore = names.length > MAX_NAMES || requestsWaiting > requests.length;
  return {
    title: notification.many(requestsWaiting),
    body: notification.from(visibleNames.join(', '), isMore),
    buttons: hasButtons(platform) ? ['look'] : [],
    about: null,
  };
}
