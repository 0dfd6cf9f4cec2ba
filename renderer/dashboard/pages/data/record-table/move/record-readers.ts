import { namespaceOf } from '../../../../../../server/wire/display-name.ts';
import type { OwnerApplication, OwnerDebit, OwnerFunction, SharedView } from '../../../../../shared/api/contract.ts';
import type { OwnerContract } from '../../../../../../server/wire/network.ts';
import { endpointsOf } from '../../../../../shared/consent/bundle-text.ts';
import { compare } from '../../../../../shared/format/format.ts';
import { nameOf } from '../../../functions/function-text.ts';
import { selectedRecordsOf } from '../../../../shared-views/shared-view.ts';
import { isEnabled, mainPermission } from '../../../sharing/status-text.ts';

export interface RecordReader {
  name: string;
  reads: (endpoint: string) => boolean;
}

interface ReaderSources {
  debits: readonly OwnerDebit[];
  applications: readonly OwnerApplication[];
  contracts: readonly OwnerContract[];
  views: readonly SharedView[];
  functions: readonly OwnerFunction[];
  /** Ids of the records to be moved. */
  records: readonly string[];
}

/**
 * Lists readers of records, including people with a shared table or chart, and remote functions. Omits applications
 * that can read all data, because no move changes that, and shared tables whose selected records are not moved.
 */
export function listRecordReaders({
  debits,
  applications,
  contracts,
  views,
  functions,
  records,
}: ReaderSources): RecordReader[] {
  const ids = new Set(records);
  return [
    ...debits.filter(isEnabled).map((item) => {
      const endpoints = endpointsOf(mainPermission(item).bundle.bundle);
      return { name: item.debit.requestClientName, reads: (endpoint: string) => endpoints.includes(endpoint) };
    }),
    ...applications.flatMap(({ item, approved }) => {
      if (!item.setup || !item.enabled || approved === null || approved.rights.actsAsOwner) return [];
      const { read } = approved.rights;
      const { name } = item.application.info;
      return [{ name, reads: (endpoint: string) => read.includes(namespaceOf(endpoint)) }];
    }),
    ...contracts.flatMap(({ name, state, namespaces }) => {
      if (state !== 'joined') return [];
      const readableNamespaces = new Set(namespaces.filter((terms) => terms.read).map(({ namespace }) => namespace));
      return [{ name, reads: (endpoint: string) => readableNamespaces.has(namespaceOf(endpoint)) }];
    }),
    ...views
      .filter(({ definition }) => selectedRecordsOf(definition)?.some((id) => ids.has(id)) ?? true)
      .map((view) => ({ name: view.userName, reads: (endpoint: string) => endpoint === view.endpoint })),
    ...functions.flatMap((ownerFunction) => {
      const { place, configuration } = ownerFunction;
      if (place.kind !== 'elsewhere' || configuration?.status.enabled !== true) return [];
      const endpoints = endpointsOf(configuration.dataBundle.bundle);
      return [{ name: nameOf(ownerFunction), reads: (endpoint: string) => endpoints.includes(endpoint) }];
    }),
  ];
}

export function changedReaders(
  readers: readonly RecordReader[],
  { from, to }: { from: string; to: string },
): { gained: string[]; lost: string[] } {
  // Several consents can have the same name.
  const namesAt = (endpoint: string): Set<string> =>
    new Set(readers.filter(({ reads }) => reads(endpoint)).map(({ name }) => name));
  const [namesAtSource, namesAtTarget] = [namesAt(from), namesAt(to)];
  const difference = (names: Set<string>, others: Set<string>): string[] =>
    [...names].filter((name) => !others.has(name)).toSorted(compare);
  return { gained: difference(namesAtTarget, namesAtSource), lost: difference(namesAtSource, namesAtTarget) };
}
