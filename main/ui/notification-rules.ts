import type { DesktopRequest, DesktopStatus } from '../../server/wire/desktop.ts';
import { isolated } from '../../server/wire/isolation.ts';
import { en, type Texts } from '../texts/en.ts';

/** A button; what it does is decided when it is pressed, never by the notification itself going away. */
export type NoteButton = 'deny' | 'approve' | 'look';

/** A notification as it is to be shown. */
export type Note = {
  readonly title: string;
  readonly body: string;
  /** In this order. Approving is never first: a system may take the first one for a click on the whole. */
  readonly buttons: readonly NoteButton[];
  /** The one request that it is about; null: several, and a click shows the list. */
  readonly about: DesktopRequest | null;
};

export type Telling = {
  /** null: there is nothing new. */
  readonly note: Note | null;
  /** Ids of all permissions that were told and may still wait: what is kept until the next time. */
  readonly told: readonly string[];
};

/** Above what a PDA tells at once: of those that wait, none is told twice. */
const MAX_TOLD = 500;

/** Systems on which a notification has buttons that tell us of a press. */
function hasButtons(platform: NodeJS.Platform): boolean {
  return platform === 'darwin' || platform === 'win32';
}

/**
 * What to say of the requests that wait now, given what was said before. Each is told once; several that are new are told in one, and so is one
 * that comes while another notification stands.
 *
 * @param told ids of permissions, oldest first
 * @param isOneShown a notification about requests stands that the owner has not answered
 */
export function tellRequests(
  stand: Pick<DesktopStatus, 'requests' | 'requestsWaiting'>,
  told: readonly string[],
  isOneShown: boolean,
  platform: NodeJS.Platform,
  texts: Texts = en,
): Telling {
  const { fresh, told: next } = tellOnce(stand.requests, ({ permissionId }) => permissionId, told);
  const [first] = fresh;
  if (first === undefined) return { note: null, told };
  if (fresh.length === 1 && !(isOneShown && stand.requestsWaiting > 1))
    return { note: oneNote(first, platform), told: next };
  return { note: manyNote(stand, platform, texts), told: next };
}

/** Those of which nothing was said before, and what is kept until the next time. @param told ids, oldest first */
export function tellOnce<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  told: readonly string[],
): { readonly fresh: readonly Item[]; readonly told: readonly string[] } {
  const known = new Set(told);
  const fresh = items.filter((item) => !known.has(idOf(item)));
  if (fresh.length === 0) return { fresh, told };
  // Older ones are told first, so that the newest stay when there are too many.
  return { fresh, told: [...told, ...fresh.map(idOf).toReversed()].slice(-MAX_TOLD) };
}

function oneNote(request: DesktopRequest, platform: NodeJS.Platform): Note {
  const buttons: readonly NoteButton[] = request.fingerprint === null ? ['deny', 'look'] : ['deny', 'approve'];
  return { title: request.title, body: request.body, buttons: hasButtons(platform) ? buttons : [], about: request };
}

const NAMED = 3;
const MAX_NAME_CHARS = 40;

function manyNote(
  { requests, requestsWaiting }: Parameters<typeof tellRequests>[0],
  platform: NodeJS.Platform,
  { quoted, notification }: Texts,
): Note {
  const names = [...new Set(requests.map(({ asker }) => asker))];
  const shown = names
    .slice(0, NAMED)
    .map((name) => quoted(isolated(name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : name)));
  const isMore = names.length > NAMED || requestsWaiting > requests.length;
  return {
    title: notification.many(requestsWaiting),
    body: notification.from(shown.join(', '), isMore),
    buttons: hasButtons(platform) ? ['look'] : [],
    about: null,
  };
}
