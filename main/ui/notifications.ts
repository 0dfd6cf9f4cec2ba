import { z } from 'zod';
import type { DesktopOrder, DesktopStatus } from '../../server/wire/desktop.ts';
import { REQUESTS_PAGE, requestPage, SHARING_PAGE, sharingPage } from '../system/deep-link-rules.ts';
import type { ElectronParts, NotificationPart } from '../system/electron-api.ts';
import { selectUnannounced, announceRequests, type Note, type NoteButton } from './notification-rules.ts';
import type { Outcome } from '../server/link.ts';
import { readJson, replaceText } from '../system/json-file.ts';
import type { Texts } from '../texts/en.ts';

export type Notifications = {
  /** Announces new requests and renewals, and closes notifications that are settled. */
  update(status: DesktopStatus): void;
  /** Shows an urgent message. A click opens `page`. */
  showMessage(title: string, body: string, page: string): void;
  close(): void;
};

const announcedSchema = z.array(z.string().max(200)).max(10_000);

/**
 * System notifications about requests for data.
 * @param config `announcedFile`: stores which were announced, so that none is announced twice; `ask`: sends a command
 * to
 * the server; `open`: shows a page of the dashboard
 */
export function createNotifications(config: {
  readonly electron: Pick<ElectronParts, 'Notification'>;
  readonly platform: NodeJS.Platform;
  readonly announcedFile: string;
  readonly ask: (order: DesktopOrder) => Promise<Outcome>;
  readonly open: (page: string) => void;
  readonly texts: Texts;
}): Notifications {
  const { electron, platform, announcedFile, ask, open, texts } = config;
  const notificationTexts = texts.notification;
  const storedAnnouncements = announcedSchema.safeParse(readJson(announcedFile));
  let announced: readonly string[] = storedAnnouncements.success ? storedAnnouncements.data : [];
  /** References keep notifications from garbage collection. Keyed by permission; '' for a group. */
  const shownRequests = new Map<string, NotificationPart>();
  const otherParts = new Set<NotificationPart>();

  const make = (title: string, body: string, labels: readonly string[]): NotificationPart =>
    new electron.Notification({
      title,
      body,
      ...(labels.length === 0 ? {} : { actions: labels.map((text) => ({ type: 'button', text })) }),
    });

  const showMessage = (title: string, body: string, page: string): void => {
    if (!electron.Notification.isSupported()) return;
    const systemNotification = make(title, body, []);
    otherParts.add(systemNotification);
    systemNotification.on('click', () => open(page));
    systemNotification.on('close', () => otherParts.delete(systemNotification));
    systemNotification.show();
  };

  const press = async (button: NoteButton, about: Note['about']): Promise<void> => {
    const order = orderOf(button, about);
    if (order === null) {
      open(pageOf(about));
      return;
    }
    const outcome = await ask(order);
    if (!outcome.done)
      showMessage(
        order.type === 'approve' ? notificationTexts.notApproved : notificationTexts.notDenied,
        outcome.reason,
        pageOf(about),
      );
  };

  const show = (note: Note): void => {
    const id = note.about?.permissionId ?? '';
    const systemNotification = make(
      note.title,
      note.body,
      note.buttons.map((button) => notificationTexts[button]),
    );
    const forget = (): void => {
      if (shownRequests.get(id) === systemNotification) shownRequests.delete(id);
    };
    systemNotification.on('click', () => {
      forget();
      open(pageOf(note.about));
    });
    systemNotification.on('action', ({ actionIndex }) => {
      const button = note.buttons[actionIndex];
      forget();
      if (button !== undefined) void press(button, note.about);
    });
    systemNotification.on('close', forget);
    // The new notification contains the number of all requests and replaces earlier ones.
    if (note.about === null) closeWhere(() => true);
    shownRequests.set(id, systemNotification);
    systemNotification.show();
  };

  const closeWhere = (isOver: (id: string) => boolean): void => {
    for (const [id, notification] of shownRequests) {
      if (!isOver(id)) continue;
      shownRequests.delete(id);
      notification.close();
    }
  };

  return {
    update(status) {
      const waiting = new Set(status.requests.map(({ permissionId }) => permissionId));
      closeWhere((id) => (id === '' ? status.requestsWaiting === 0 : !waiting.has(id)));
      if (!electron.Notification.isSupported()) return;
      const announcement = announceRequests(status, announced, shownRequests.size > 0, platform, texts);
      const renewals = selectUnannounced(status.renewals, ({ id }) => id, announcement.announced);
      if (renewals.announced === announced) return;
      announced = renewals.announced;
      try {
        // Stored first: a duplicate would be worse than a request that only the tray shows.
        replaceText(announcedFile, JSON.stringify(announced));
      } catch {
        // On a full disk it is announced again after the next start.
      }
      if (announcement.note !== null) show(announcement.note);
      const [renewal] = renewals.fresh;
      if (renewal === undefined) return;
      if (renewals.fresh.length === 1) showMessage(renewal.title, renewal.body, sharingPage(renewal.key));
      else showMessage(notificationTexts.renewed(renewals.fresh.length), notificationTexts.renewedText, SHARING_PAGE);
    },
    showMessage,
    close() {
      closeWhere(() => true);
      for (const notification of otherParts) notification.close();
      otherParts.clear();
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
