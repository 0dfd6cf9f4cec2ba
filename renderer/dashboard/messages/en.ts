import { applications } from './en/applications.ts';
import { backup } from './en/backup.ts';
import { bulkFiles } from './en/bulk-files.ts';
import { charts } from './en/charts.ts';
import { collections } from './en/collections.ts';
import { consent } from '../../shared/messages/en/consent.ts';
import { contracts } from './en/contracts.ts';
import { data } from './en/data.ts';
import { entry } from '../../shared/messages/en/entry.ts';
import { erasure } from './en/erasure.ts';
import { examples } from './en/examples.ts';
import { exposure } from './en/exposure.ts';
import { files } from './en/files.ts';
import { functions } from './en/functions.ts';
import { help } from '../../shared/messages/en/help.ts';
import { history } from './en/history.ts';
import { home } from './en/home.ts';
import { imports } from './en/imports.ts';
import { login } from './en/login.ts';
import { move } from './en/move.ts';
import { network } from './en/network.ts';
import { notes } from './en/notes.ts';
import { offers } from './en/offers.ts';
import { people } from './en/users.ts';
import { profile } from './en/profile.ts';
import { recordEditor } from './en/record-editor.ts';
import { recordTable } from './en/record-table.ts';
import { requests } from './en/requests.ts';
import { secondFactor } from './en/second-factor.ts';
import { settings } from './en/settings.ts';
import { invitations } from './en/invitations.ts';
import { shareLinks } from './en/share-links.ts';
import { targetShares } from './en/target-shares.ts';
import { sharedViews } from './en/shared-views.ts';
import { sharing } from './en/sharing.ts';
import { shell } from '../../shared/messages/en/shell.ts';
import { timeline } from './en/timeline.ts';

/** Defines the shape of all other languages. */
export const en = {
  shell,
  entry,
  home,
  consent,
  requests,
  invitations,
  shareLinks,
  targetShares,
  sharedViews,
  sharing,
  data,
  recordEditor,
  recordTable,
  bulkFiles,
  charts,
  collections,
  imports,
  files,
  settings,
  applications,
  history,
  people,
  help,
  login,
  functions,
  timeline,
  notes,
  offers,
  contracts,
  network,
  exposure,
  erasure,
  move,
  secondFactor,
  backup,
  profile,
  examples,
} as const;
