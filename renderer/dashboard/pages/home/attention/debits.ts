import type { OwnerDebit } from '../../../../shared/api/contract.ts';
import { waitingDebits, waitingPermission } from '../../../api/sharing/debits.ts';
import { type DataNames, DERIVED_NAMES } from '../../../../shared/components/display-names.ts';
import { bundleText } from '../../../../shared/consent/bundle-text.ts';
import { dayNear } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { requestPath, sharingPath } from '../../../navigation.ts';
import { permissionToChange } from '../../sharing/status-text.ts';
import type { AttentionItem } from './attention-item.ts';

/** If more requests are pending, one item represents all of them. */
const MAX_LISTED_REQUESTS = 3;

export function requestItems(debits: readonly OwnerDebit[], dataNames: DataNames = DERIVED_NAMES): AttentionItem[] {
  const waitingRequests = waitingDebits(debits);
  if (waitingRequests.length > MAX_LISTED_REQUESTS) {
    const names = [...new Set(waitingRequests.map(nameOf))];
    const title = m.requests.homeMany(waitingRequests.length);
    const count = waitingRequests.length;
    return [
      {
        id: 'requests',
        count,
        to: '/requests',
        action: m.sharing.page.decide,
        title,
        text: m.requests.homeNames(names),
        isError: false,
      },
    ];
  }
  return waitingRequests.map((item) => {
    const isChange = permissionToChange(item) !== undefined;
    const name = nameOf(item);
    const bundle = waitingPermission(item)?.bundle.bundle;
    return {
      id: item.debit.dataDebitKey,
      to: requestPath(item.debit.dataDebitKey),
      action: m.sharing.page.decide,
      title: isChange ? m.requests.homeChange(name) : m.requests.home(name),
      text: isChange || bundle === undefined ? '' : m.requests.homeText(bundleText(bundle, dataNames)),
      isError: false,
    };
  });
}

/** Lists permissions that were renewed automatically in the last three days. They need no decision. */
export function renewalItems(debits: readonly OwnerDebit[]): AttentionItem[] {
  return debits.flatMap(({ debit, renewed }): AttentionItem[] =>
    renewed === null
      ? []
      : [
          {
            id: `renewed ${debit.dataDebitKey}`,
            to: sharingPath(debit.dataDebitKey),
            title: m.sharing.renewed(debit.requestClientName),
            text: m.sharing.renewedText(dayNear(renewed)),
            isError: false,
          },
        ],
  );
}

function nameOf({ debit, pendingRequester }: OwnerDebit): string {
  return (pendingRequester ?? debit).requestClientName;
}
