import { z } from 'zod';
import type { DesktopOrder, DesktopStatus } from '../../server/wire/desktop.ts';
import { REQUESTS_PAGE, requestPage, SHARING_PAGE, sharingPage } from '../system/deep-link-rules.ts';
import type { ElectronParts, NotificationPart } from '../system/electron-api.ts';
import { tellOnce, tellRequests, type Note, type NoteButton } from './notification-rules.ts';
import type { Outcome } from '../server/link.ts';
import { readJson, replaceText } from '../system/json-file.ts';
import type { Texts } from '../texts/en.ts';

export type Notifications = {
  /** Announces new requests and renewals, and closes notifications that are settled. */
  update(stand: DesktopStatus): void;
  /** Shows an urgent message. A click opens `page`. */
  say(title: string, body: string, page: string): void;
  close(): void;
};

const toldSchema = z.array(z.string().max(200)).max(10_000);

/**
 * System notifications about requests for data.
 * @param config `toldFile`: stores which were announced, so that none is announced twice; `ask`: sends a command to
 * the server; `open`: shows a page of the dashboard
 */
export function createNotifications(config: {
  readonly electron: Pick<ElectronParts, 'Notification'>;
  readonly platform: NodeJS.Platform;
  readonly toldFile: string;
  readonly ask: (order: DesktopOrder) => Promise<Outcome>;
  readonly open: (page: string) => void;
  readonly texts: Texts;
}): Notifications {
  const { electron, platform, toldFile, ask, open, texts } = config;
  const words = texts.notification;
  const known = toldSchema.safeParse(readJson(toldFile));
  let told: readonly string[] = known.success ? known.data : [];
  /** References keep notifications from garbage collection. Keyed by permission; '' for a group. */
  const standing = new Map<string, NotificationPart>();
  const others = new Set<NotificationPart>();

  const make = (title: string, body: string, labels: readonly string[]): NotificationPart =>
    new electron.Notification({
      title,
      body,
      ...(labels.length === 0 ? {} : { actions: labels.map((text) => ({ type: 'button', text })) }),
    });

  const say = (title: string, body: string, page: string): void => {
    if (!electron.Notification.isSupported()) return;
    const made = make(title, body, []);
    others.add(made);
    made.on('click', () => open(page));
    made.on('close', () => others.delete(made));
    made.show();
  };

  const press = async (button: NoteButton, about: Note['about']): Promise<void> => {
    const order = orderOf(button, about);
    if (order === null) {
      open(pageOf(about));
      return;
    }
    const outcome = await ask(order);
    if (!outcome.done)
      say(order.type === 'approve' ? words.notApproved : words.notDenied, outcome.reason, pageOf(about));
  };

  const show = (note: Note): void => {
    const id = note.about?.permissionId ?? '';
    const made = make(
      note.title,
      note.body,
      note.buttons.map((button) => words[button]),
    );
    const forget = (): void => {
      if (standing.get(id) === made) standing.delete(id);
    };
    made.on('click', () => {
      forget();
      open(pageOf(note.about));
    });
    made.on('action', ({ actionIndex }) => {
      const button = note.buttons[actionIndex];
      forget();
      if (button !== undefined) void press(button, note.about);
    });
    made.on('close', forget);
    // The new notification contains the number of all requests and replaces earlier ones.
    if (note.about === null) takeBack(() => true);
    standing.set(id, made);
    made.show();
  };

  const takeBack = (isOver: (id: string) => boolean): void => {
    for (const [id, notification] of standing) {
      if (!isOver(id)) continue;
      standing.delete(id);
      notification.close();
    }
  };

  return {
    update(stand) {
      const waiting = new Set(stand.requests.map(({ permissionId }) => permissionId));
      takeBack((id) => (id === '' ? stand.requestsWaiting === 0 : !waiting.has(id)));
      if (!electron.Notification.isSupported()) return;
      const telling = tellRequests(stand, told, standing.size > 0, platform, texts);
      const renewing = tellOnce(stand.renewals, ({ id }) => id, telling.told);
      if (renewing.told === told) return;
      told = renewing.told;
      try {
        // Stored first: a duplicate would be worse than a request that only the tray shows.
        replaceText(toldFile, JSON.stringify(told));
      } catch {
        // On a full disk it is announced again after the next start.
      }
      if (telling.note !== null) show(telling.note);
      const [renewal] = renewing.fresh;
      if (renewal === undefined) return;
      if (renewing.fresh.length === 1) say(renewal.title, renewal.body, sharingPage(renewal.key));
      else say(words.renewed(renewing.fresh.length), words.renewedText, SHARING_PAGE);
    },
    say,
    close() {
      takeBack(() => true);
      for (const notification of others) notification.close();
      others.clear();
    },
  };
}

/** Returns the page for a notification. */
function pageOf(about: Note['about']): string {
  return about === null ? REQUESTS_PAGE : requestPage(about.key);
}

/** Returns the command of a button; null if it only opens the page. */
function orderOf(button: NoteButton, about: Note['about']): DesktopOrder | null {
  if (button === 'look' || about === null) return null;
  const { key, permissionId, fingerprint } = about;
  if (button === 'deny') return { type: 'deny', key, permissionId };
  // Without a fingerprint the button does not exist.
  return fingerprint === null ? null : { type: 'approve', key, permissionId, fingerprint };
}
