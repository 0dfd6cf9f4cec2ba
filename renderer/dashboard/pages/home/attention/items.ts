import type { ImportJob, OwnerDebit } from '../../../../shared/api/contract.ts';
import { waitingDebits, waitingPermission } from '../../../api/sharing/debits.ts';
import { bundleText } from '../../../../shared/consent/bundle-text.ts';
import { dayNear, number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { importPath, requestPath, sharingPath } from '../../../navigation.ts';

const words = m.home;

/** What waits for the owner, or has stopped. */
export interface Need {
  id: string;
  /** Things to decide behind this one line; one, if it is not said. */
  count?: number;
  title: string;
  text: string;
  to: string;
  /** What the way there is called, when that is more than looking. */
  action?: string;
  /** Something stopped, rather than waits. */
  fault: boolean;
}

export function importNeeds(jobs: readonly ImportJob[]): Need[] {
  const needs: Need[] = [];
  for (const job of jobs) {
    const place = { id: job.importId, to: importPath(job.importId) };
    if (job.state === 'failed') {
      const kept = m.data.records(job.added);
      const line = job.error?.line ?? null;
      const text = line === null ? words.importFailedNoLine(kept) : words.importFailedAt(number(line), kept);
      needs.push({ ...place, title: words.importFailed(job.fileName), text, fault: true });
    } else if (job.state === 'ready') {
      needs.push({ ...place, title: words.importReady(job.fileName), text: '', fault: false });
    } else if (job.state === 'receiving') {
      needs.push({ ...place, title: words.importReceiving(job.fileName), text: '', fault: false });
    }
  }
  return needs.slice(0, 5);
}

/** More of them are said in one line. */
const REQUESTS_SHOWN = 3;

export function requestNeeds(all: readonly OwnerDebit[]): Need[] {
  const waiting = waitingDebits(all);
  if (waiting.length > REQUESTS_SHOWN) {
    const names = [...new Set(waiting.map(nameOf))];
    const title = m.requests.homeMany(waiting.length);
    const count = waiting.length;
    return [
      {
        id: 'requests',
        count,
        to: '/requests',
        action: m.sharing.page.decide,
        title,
        text: m.requests.homeNames(names),
        fault: false,
      },
    ];
  }
  return waiting.map((item) => {
    const isChange = item.debit.permissionsActive !== undefined;
    const name = nameOf(item);
    const bundle = waitingPermission(item)?.bundle.bundle;
    return {
      id: item.debit.dataDebitKey,
      to: requestPath(item.debit.dataDebitKey),
      action: m.sharing.page.decide,
      title: isChange ? m.requests.homeChange(name) : m.requests.home(name),
      text: isChange || bundle === undefined ? '' : m.requests.homeText(bundleText(bundle)),
      fault: false,
    };
  });
}

/** Permissions that went on by themselves: nothing is to be decided, but it can be. */
export function renewalNeeds(all: readonly OwnerDebit[]): Need[] {
  return all.flatMap(({ debit, renewed }): Need[] =>
    renewed === null
      ? []
      : [
          {
            id: `renewed ${debit.dataDebitKey}`,
            to: sharingPath(debit.dataDebitKey),
            title: m.sharing.renewed(debit.requestClientName),
            text: m.sharing.renewedText(dayNear(renewed)),
            fault: false,
          },
        ],
  );
}

function nameOf({ debit, waitingAs }: OwnerDebit): string {
  return (waitingAs ?? debit).requestClientName;
}
