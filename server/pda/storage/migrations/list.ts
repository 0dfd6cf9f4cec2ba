import { foundation } from './0001-foundation.ts';
import { ledger } from './0002-ledger.ts';
import { outbox } from './0003-outbox.ts';
import { debits } from './0004-debits.ts';
import { applications } from './0005-applications.ts';
import { refusals } from './0006-refusals.ts';
import { users } from './0007-users.ts';
import { files } from './0008-files.ts';
import { functions } from './0009-functions.ts';
import { network } from './0010-network.ts';
import { contracts } from './0011-contracts.ts';
import { statistics } from './0012-statistics.ts';
import { fileAmounts } from './0013-file-amounts.ts';
import { exposure } from './0014-exposure.ts';
import { backup } from './0015-backup.ts';
import { secondFactor } from './0016-second-factor.ts';
import { erasures } from './0017-erasures.ts';
import { firstMinutes } from './0018-first-minutes.ts';
import { moves } from './0019-moves.ts';
import { importKinds } from './0020-import-kinds.ts';
import { fileAmountsBySource } from './0021-file-amounts-by-source.ts';
import { reviews } from './0022-reviews.ts';
import { recordUsage } from './0023-record-usage.ts';
import { signInNetworks } from './0024-sign-in-networks.ts';
import { localtunnel } from './0025-localtunnel.ts';
import { fieldCorrections } from './0026-field-corrections.ts';
import { pinnedCharts } from './0027-pinned-charts.ts';
import { recordSearch } from './0028-record-search.ts';
import { endpointCharts } from './0029-endpoint-charts.ts';
import { shareLinks } from './0030-share-links.ts';
import { fileFolders } from './0031-file-folders.ts';
import { importLists } from './0032-import-lists.ts';
import { invitations } from './0033-invitations.ts';
import { ledgerByShape } from './0034-ledger-by-shape.ts';
import { recordTable } from './0035-record-table.ts';
import { folderGrants } from './0036-folder-grants.ts';
import { passwordLinks } from './0037-password-links.ts';
import { debitPauses } from './0038-debit-pauses.ts';
import { recordVersions } from './0039-record-versions.ts';
import { fileMoves } from './0040-file-moves.ts';
import { userPasskeys } from './0041-user-passkeys.ts';
import { collections } from './0042-collections.ts';
import { viewGrants } from './0043-view-grants.ts';
import { pictures } from './0045-pictures.ts';
import { recordMoves } from './0046-record-moves.ts';
import { picturePlaces } from './0047-picture-places.ts';
import { recordDigests } from './0048-record-digests.ts';
import { endpointCounts } from './0049-endpoint-counts.ts';
import { fileTexts } from './0050-file-texts.ts';
import { canceledTwice } from './0051-canceled-twice.ts';
import { importOriginals } from './0052-import-originals.ts';
import { plainNames } from './0053-plain-names.ts';
import { contractAddresses } from './0054-contract-addresses.ts';

/**
 * All migrations in order. Each runs in one transaction. The SQL of a released migration never changes. The schema
 * version is the position in this list, starting at 1. It equals the number of the file up to 0043. There is no 0044.
 */
export const MIGRATIONS: readonly string[] = [
  foundation,
  ledger,
  outbox,
  debits,
  applications,
  refusals,
  users,
  files,
  functions,
  network,
  contracts,
  statistics,
  fileAmounts,
  exposure,
  backup,
  secondFactor,
  erasures,
  firstMinutes,
  moves,
  importKinds,
  fileAmountsBySource,
  reviews,
  recordUsage,
  signInNetworks,
  localtunnel,
  fieldCorrections,
  pinnedCharts,
  recordSearch,
  endpointCharts,
  shareLinks,
  fileFolders,
  importLists,
  invitations,
  ledgerByShape,
  recordTable,
  folderGrants,
  passwordLinks,
  debitPauses,
  recordVersions,
  fileMoves,
  userPasskeys,
  collections,
  viewGrants,
  pictures,
  recordMoves,
  picturePlaces,
  recordDigests,
  endpointCounts,
  fileTexts,
  canceledTwice,
  importOriginals,
  plainNames,
  contractAddresses,
];
