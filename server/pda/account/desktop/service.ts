import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import {
  MAX_NOTIFIED_RENEWALS,
  MAX_NOTIFIED_REQUESTS,
  type DesktopCommand,
  type DesktopStatus,
} from '../../../wire/desktop.ts';
import type { BackupStatus } from '../../../wire/backup.ts';
import type { Language } from '../../../wire/language.ts';
import type { DebitService, DecisionGuard } from '../../sharing/debits/service.ts';
import type { AccessLogService } from '../../sharing/access-log/service.ts';
import type { ExposureService } from '../../network/address/service.ts';
import type { WeeklySummaryService } from '../weekly-summary/service.ts';
import { describeSummary } from './summary-rules.ts';
import { describeRenewal, describeRequest } from './request-rules.ts';

export type DesktopParts = {
  debits: Pick<DebitService, 'pendingRequests' | 'recentRenewals' | 'grant' | 'reject'>;
  exposure: Pick<ExposureService, 'summary' | 'wake' | 'goDark' | 'reopen'>;
  /** Pauses and resumes all functions together. */
  pauseControl: { pausedSince(): number | undefined; pause(): Promise<void>; resume(): Promise<void> };
  backup: { status(): BackupStatus };
  ledger: Pick<AccessLogService, 'record'>;
  weeklySummary: Pick<WeeklySummaryService, 'findAnnouncement'>;
  endpointNameOf: (endpoint: string) => string;
  /** Time zone of this computer and of the app. */
  timeZone: string;
  clock: Clock;
};

type DesktopService = {
  status(language: Language): Promise<DesktopStatus>;
  /**
   * @param language language of the notification
   * @throws Failure wrong_state if the notification showed an outdated request, and failures of the called services
   */
  execute(command: DesktopCommand, language: Language): Promise<void>;
};

const DESKTOP_ORIGIN = { address: 'desktop app' };

export const createDesktopService = (parts: DesktopParts): DesktopService => {
  const { debits, exposure, pauseControl, backup, ledger, weeklySummary, endpointNameOf, timeZone, clock } = parts;

  /** Extends a check of a decision: rejects a replaced request, and adds the access log entry to the transaction. */
  const withAccessLog =
    (
      action: 'debit-approve-notification' | 'debit-deny-notification',
      permissionId: string,
      check: DecisionGuard,
    ): DecisionGuard =>
    (tx, debit, pending) => {
      if (pending.id !== permissionId)
        throw new Failure(
          'wrong_state',
          'The requester has replaced this request. Review the new one. Nothing was changed.',
        );
      check(tx, debit, pending);
      ledger.record(tx, {
        who: { kind: 'owner', name: '' },
        action,
        status: 200,
        reason: null,
        consent: { kind: 'debit', name: debit.key, detail: pending.id },
        records: new Map(),
        fields: null,
        bytes: 0,
        address: DESKTOP_ORIGIN.address,
      });
    };

  return {
    async status(language) {
      const { total, requests } = debits.pendingRequests(MAX_NOTIFIED_REQUESTS);
      const now = clock.now();
      const summary = await weeklySummary.findAnnouncement(timeZone);
      return {
        type: 'status',
        requests: requests.map(({ debit, permission }) => describeRequest(debit, permission, now, language)),
        requestsWaiting: total,
        renewals: debits.recentRenewals(MAX_NOTIFIED_RENEWALS).map((renewal) => describeRenewal(renewal, language)),
        summary: summary === undefined ? null : describeSummary(summary, endpointNameOf, language),
        exposure: exposure.summary(),
        functionsPaused: pauseControl.pausedSince() !== undefined,
        backup: backup.status(),
      };
    },

    async execute(command, language) {
      switch (command.type) {
        case 'deny':
          await debits.reject(
            command.key,
            withAccessLog('debit-deny-notification', command.permissionId, () => undefined),
          );
          return;
        case 'approve':
          await debits.grant(
            command.key,
            { permissionId: command.permissionId },
            withAccessLog('debit-approve-notification', command.permissionId, (_tx, debit, pending) => {
              if (describeRequest(debit, pending, clock.now(), language).fingerprint !== command.fingerprint)
                throw new Failure(
                  'wrong_state',
                  'The request differs from the one that the notification showed. Review it. Nothing was changed.',
                );
            }),
          );
          return;
        case 'go-dark':
          return exposure.goDark(DESKTOP_ORIGIN);
        case 'go-light':
          return exposure.reopen(DESKTOP_ORIGIN);
        case 'pause-functions':
          return pauseControl.pause();
        case 'resume-functions':
          return pauseControl.resume();
        case 'woke-up':
          exposure.wake();
      }
    },
  };
};
