import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../../../../platform/auth/principal.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { createDownloadTickets } from '../../../../platform/http/download-tickets.ts';
import { formatCsvHeader, formatCsvRow } from '../../../../platform/json/csv-writer.ts';
import type { LedgerConditions, LedgerExportRequest } from '../../../../wire/ledger.ts';
import type { OwnerService } from '../../../identity/owner/service.ts';
import type { AccessNames } from '../names.ts';
import type { AccessLogService } from '../service.ts';
import { toCsvRecordText, EXPORT_COLUMNS, toExportedEntry } from './rules.ts';

type Format = LedgerExportRequest['format'];

const MAX_TICKETS = 1000;

export const createLedgerExports = (parts: {
  ledger: Pick<AccessLogService, 'streamAll'>;
  names: Pick<AccessNames, 'nameOf'>;
  endpointNameOf: (endpoint: string) => string;
  owner: Pick<OwnerService, 'onSessionChange' | 'isSessionAlive'>;
  clock: Clock;
}) => {
  const { ledger, names, endpointNameOf, owner, clock } = parts;
  const tickets = createDownloadTickets<{ filter: LedgerConditions; format: Format }>({
    sessions: owner,
    clock,
    maxTickets: MAX_TICKETS,
  });

  async function* batches(filter: LedgerConditions) {
    for await (const rows of ledger.streamAll(filter)) {
      yield rows.map((row) => toExportedEntry(row, names, endpointNameOf));
      await nextTurn();
    }
  }

  async function* csv(filter: LedgerConditions): AsyncGenerator<string> {
    yield formatCsvHeader(EXPORT_COLUMNS);
    for await (const entries of batches(filter))
      yield entries.map((entry) => formatCsvRow(toCsvRecordText(entry), EXPORT_COLUMNS)).join('');
  }

  async function* json(filter: LedgerConditions): AsyncGenerator<string> {
    let separator = '[\n';
    for await (const entries of batches(filter)) {
      yield separator + entries.map((entry) => JSON.stringify(entry)).join(',\n');
      separator = ',\n';
    }
    yield separator === '[\n' ? '[]\n' : '\n]\n';
  }

  return {
    /** Returns a ticket that permits one download, because a browser sends no token with a download. */
    issueTicket: (filter: LedgerConditions, format: Format, principal: Principal): string =>
      tickets.issue({ filter, format }, principal),
    /** @throws Failure not_found if the ticket is unknown, used or expired, or its session has ended */
    download(ticket: string) {
      const { subject, bind } = tickets.redeem(ticket);
      const { filter, format } = subject;
      const stream = Readable.from(format === 'csv' ? csv(filter) : json(filter), { objectMode: false });
      bind(stream);
      return { stream, format };
    },
  };
};

export type LedgerExports = ReturnType<typeof createLedgerExports>;
