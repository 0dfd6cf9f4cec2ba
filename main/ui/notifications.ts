import { z } from 'zod';
import type { DesktopCommand, DesktopStatus } from '../../server/wire/desktop.ts';
import { HOME_PAGE, REQUESTS_PAGE, requestPage, SHARING_PAGE, sharingPage } from '../system/deep-link-rules.ts';
import type { ElectronApi, NotificationApi } from '../system/electron-api.ts';
import {
  selectUnannounced,
  decideAnnouncement,
  type RequestNotification,
  type NotificationButton,
} from './notification-rules.ts';
import type { CommandOutcome } from '../server/link.ts';
import { readJson, replaceText } from '../system/json-file.ts';
import type { Texts } from '../texts/en.ts';

const announcedSchema = z.array(z.string().max(200)).max(10_000);

/**
 * Shows system notifications.
 * @param config `announcedFile`: stores the latest announced IDs, so that nothing is announced twice
 */
export function createNotifications(config: {
  readonly electron: Pick<ElectronApi, 'Notification'>;
  readonly platform: NodeJS.Platform;
  readonly announcedFile: string;
  readonly sendCommand: (command: DesktopCommand) => Promise<CommandOutcome>;
  readonly open: (page: string) => void;
  readonly texts: Texts;
}) {
  const { electron, platform, announcedFile, sendCommand, open, texts } = config;
  const notificationTexts = texts.notification;
  const storedAnnouncements = announcedSchema.safeParse(readJson(announcedFile));
  let announcedIds: readonly string[] = storedAnnouncements.success ? storedAnnouncements.data : [];
  /** Shown notifications by permission ID, '' for a group. The references prevent garbage collection. */
  const requestNotifications = new Map<string, NotificationApi>();
  const otherNotifications = new Set<NotificationApi>();

  const createSystemNotification = (title: string, body: string, labels: readonly string[]): NotificationApi =>
    new electron.Notification({
      title,
      body,
      ...(labels.length === 0 ? {} : { actions: labels.map((text) => ({ type: 'button', text })) }),
    });

  const showMessage = (title: string, body: string, page: string): void => {
    if (!electron.Notification.isSupported()) return;
    const systemNotification = createSystemNotification(title, body, []);
    otherNotifications.add(systemNotification);
    const removeReference = (): void => void otherNotifications.delete(systemNotification);
    systemNotification.on('click', () => {
      removeReference();
      open(page);
    });
    systemNotification.on('close', removeReference);
    systemNotification.show();
  };

  const handleButton = async (button: NotificationButton, request: RequestNotification['request']): Promise<void> => {
    const command = commandOfButton(button, request);
    if (command === null) {
      open(pageOf(request));
      return;
    }
    const outcome = await sendCommand(command);
    if (!outcome.done)
      showMessage(
        command.type === 'approve' ? notificationTexts.notApproved : notificationTexts.notDenied,
        outcome.reason,
        pageOf(request),
      );
  };

  const show = (notification: RequestNotification): void => {
    const id = notification.request?.permissionId ?? '';
    const systemNotification = createSystemNotification(
      notification.title,
      notification.body,
      notification.buttons.map((button) => notificationTexts[button]),
    );
    const removeReference = (): void => {
      if (requestNotifications.get(id) === systemNotification) requestNotifications.delete(id);
    };
    systemNotification.on('click', () => {
      removeReference();
      open(pageOf(notification.request));
    });
    systemNotification.on('action', ({ actionIndex }) => {
      const button = notification.buttons[actionIndex];
      removeReference();
      if (button !== undefined) void handleButton(button, notification.request);
    });
    systemNotification.on('close', removeReference);
    // A group notification states the number of all requests, so it replaces earlier notifications.
    if (notification.request === null) closeMatching(() => true);
    requestNotifications.set(id, systemNotification);
    systemNotification.show();
  };

  const closeMatching = (matches: (id: string) => boolean): void => {
    for (const [id, systemNotification] of requestNotifications) {
      if (!matches(id)) continue;
      requestNotifications.delete(id);
      systemNotification.close();
    }
  };

  return {
    update(status: DesktopStatus): void {
      const waitingIds = new Set(status.requests.map(({ permissionId }) => permissionId));
      closeMatching((id) => (id === '' ? status.requestsWaiting === 0 : !waitingIds.has(id)));
      if (!electron.Notification.isSupported()) return;
      const announcement = decideAnnouncement(status, announcedIds, requestNotifications.size > 0, platform, texts);
      const renewals = selectUnannounced(status.renewals, ({ id }) => id, announcement.announcedIds);
      const summaries = selectUnannounced(
        status.summary === null ? [] : [status.summary],
        ({ id }) => id,
        renewals.announcedIds,
      );
      if (summaries.announcedIds === announcedIds) return;
      announcedIds = summaries.announcedIds;
      try {
        // Stored first: a repeated notification is worse than a request that only the tray shows.
        replaceText(announcedFile, JSON.stringify(announcedIds));
      } catch {
        // If the file cannot be written, these notifications are shown again after the next start.
      }
      if (announcement.notification !== null) show(announcement.notification);
      const [summary] = summaries.newItems;
      if (summary !== undefined) showMessage(summary.title, summary.body, HOME_PAGE);
      const [renewal] = renewals.newItems;
      if (renewal === undefined) return;
      if (renewals.newItems.length === 1) showMessage(renewal.title, renewal.body, sharingPage(renewal.key));
      else
        showMessage(notificationTexts.renewed(renewals.newItems.length), notificationTexts.renewedText, SHARING_PAGE);
    },
    showMessage,
    close(): void {
      closeMatching(() => true);
      for (const systemNotification of otherNotifications) systemNotification.close();
      otherNotifications.clear();
    },
  };
}

function pageOf(request: RequestNotification['request']): string {
  return request === null ? REQUESTS_PAGE : requestPage(request.key);
}

function commandOfButton(button: NotificationButton, request: RequestNotification['request']): DesktopCommand | null {
  if (button === 'view' || request === null) return null;
  const { key, permissionId, fingerprint } = request;
  if (button === 'deny') return { type: 'deny', key, permissionId };
  // The approve button is shown only for requests with a fingerprint.
  return fingerprint === null ? null : { type: 'approve', key, permissionId, fingerprint };
}
