import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import {
  MAX_NOTIFIED_RENEWALS,
  MAX_NOTIFIED_REQUESTS,
  type DesktopOrder,
  type DesktopStatus,
} from '../../../wire/desktop.ts';
import type { BackupStatus } from '../../../wire/backup.ts';
import type { Language } from '../../../wire/language.ts';
import type { DebitService, DecidedWithin } from '../../sharing/debits/service.ts';
import type { LedgerService } from '../../sharing/access-log/service.ts';
import type { ExposureService } from '../../network/address/service.ts';
import { renewalOf, requestOf } from './request-rules.ts';

export type DesktopParts = {
  debits: Pick<DebitService, 'pendingRequests' | 'recentRenewals' | 'grant' | 'reject'>;
  exposure: Pick<ExposureService, 'summary' | 'wake' | 'goDark' | 'goLight'>;
  /** All functions at once. */
  pausing: { since(): number | undefined; pause(): Promise<void>; resume(): Promise<void> };
  backup: { stand(): BackupStatus };
  ledger: Pick<LedgerService, 'record'>;
  clock: Clock;
};

/** What the desktop app shows of this PDA, and what it may do. */
export type DesktopService = {
  stand(language: Language): DesktopStatus;
  /** Performs an action of the dashboard. @param language of the texts that the owner saw @throws Failure wrong_state when the shown version is outdated, and failures of the rooms */
  perform(order: DesktopOrder, language: Language): Promise<void>;
};

/** Where the owner was, for the access history. */
const HERE = { address: 'desktop app' };

export const createDesktopService = (parts: DesktopParts): DesktopService => {
  const { debits, exposure, pausing, backup, ledger, clock } = parts;

  /** Written down with the decision, or neither is. */
  const noted =
    (
      action: 'debit-approve-notification' | 'debit-deny-notification',
      permissionId: string,
      check: DecidedWithin,
    ): DecidedWithin =>
    (tx, debit, waiting) => {
      if (waiting.id !== permissionId)
        throw new Failure('wrong_state', 'Another request waits by now. Nothing was changed.');
      check(tx, debit, waiting);
      ledger.record(tx, {
        who: { kind: 'owner', name: '' },
        action,
        status: 200,
        reason: null,
        consent: { kind: 'debit', name: debit.key, detail: waiting.id },
        records: new Map(),
        fields: null,
        bytes: 0,
        address: HERE.address,
      });
    };

  return {
    stand(language) {
      const { total, requests } = debits.pendingRequests(MAX_NOTIFIED_REQUESTS);
      const now = clock.now();
      return {
        type: 'stand',
        requests: requests.map(({ debit, permission }) => requestOf(debit, permission, now, language)),
        requestsWaiting: total,
        renewals: debits.recentRenewals(MAX_NOTIFIED_RENEWALS).map((renewal) => renewalOf(renewal, language)),
        exposure: exposure.summary(),
        functionsPaused: pausing.since() !== undefined,
        backup: backup.stand(),
      };
    },

    async perform(order, language) {
      switch (order.type) {
        case 'deny':
          await debits.reject(
            order.key,
            noted('debit-deny-notification', order.permissionId, () => undefined),
          );
          return;
        case 'approve':
          await debits.grant(
            order.key,
            { permissionId: order.permissionId },
            noted('debit-approve-notification', order.permissionId, (_tx, debit, waiting) => {
              if (requestOf(debit, waiting, clock.now(), language).fingerprint !== order.fingerprint)
                throw new Failure(
                  'wrong_state',
                  'What is asked for is not what the notification showed. Nothing was changed.',
                );
            }),
          );
          return;
        case 'go-dark':
          await exposure.goDark(HERE);
          return;
        case 'go-light':
          await exposure.goLight(HERE);
          return;
        case 'pause-functions':
          await pausing.pause();
          return;
        case 'resume-functions':
          await pausing.resume();
          return;
        case 'woke-up':
          exposure.wake();
      }
    },
  };
};
