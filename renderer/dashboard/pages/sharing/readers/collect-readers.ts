import type { OwnerProfile } from '../../../../../server/wire/profile.ts';
import type {
  EndpointSummary,
  FileReader,
  FileSummary,
  ListedShareLink,
  OwnerApplication,
  OwnerContract,
  OwnerDebit,
  OwnerFunction,
  SharedView,
  User,
} from '../../../../shared/api/contract.ts';
import { type DataNames, DERIVED_NAMES } from '../../../../shared/components/display-names.ts';
import { itemCountsOf } from './item-counts.ts';
import { applicationReaders, consentReaders, contractReaders, functionReaders } from './data-readers.ts';
import { compareReaders, type Reader } from './reader.ts';
import { linkReaders, personReaders, profileReaders, publicFileReaders, viewReaders } from './shared-readers.ts';

/** A property is undefined until it is loaded. */
export interface SharingState {
  debits: readonly OwnerDebit[] | undefined;
  applications: readonly OwnerApplication[] | undefined;
  contracts: readonly OwnerContract[] | undefined;
  functions: readonly OwnerFunction[] | undefined;
  people: readonly FileReader[] | undefined;
  users: readonly User[] | undefined;
  views: readonly SharedView[] | undefined;
  links: readonly ListedShareLink[] | undefined;
  profile: OwnerProfile | undefined;
  files: Pick<FileSummary, 'sources' | 'public'> | undefined;
  endpoints: readonly Pick<EndpointSummary, 'endpoint' | 'records'>[] | undefined;
}

/**
 * Lists all readers, those with the widest access first.
 * @param now reference time for end dates
 */
export function collectReaders(state: SharingState, now: Date, names: DataNames = DERIVED_NAMES): Reader[] {
  const { applications = [], contracts = [], profile } = state;
  const counts = itemCountsOf(state.endpoints, state.files);
  return [
    // Among readers with the same name and equally wide access, general rights come before a consent.
    ...applicationReaders(applications, contracts, counts, names),
    ...contractReaders(contracts, counts, names),
    ...consentReaders(state.debits ?? [], counts, now, names),
    ...functionReaders(state.functions ?? [], counts, names),
    ...personReaders(state.people ?? []),
    ...viewReaders(state.views ?? [], state.users, counts, now, names),
    ...linkReaders(state.links ?? [], now),
    ...publicFileReaders(state.files?.public ?? 0),
    ...(profile === undefined ? [] : profileReaders(profile)),
  ].toSorted(compareReaders);
}
