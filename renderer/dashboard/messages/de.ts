import type { en } from './en.ts';
import type { Localised } from '../../shared/messages/localised.ts';
import { applications } from './de/applications.ts';
import { backup } from './de/backup.ts';
import { bulkFiles } from './de/bulk-files.ts';
import { charts } from './de/charts.ts';
import { collections } from './de/collections.ts';
import { consent } from '../../shared/messages/de/consent.ts';
import { contracts } from './de/contracts.ts';
import { data } from './de/data.ts';
import { entry } from '../../shared/messages/de/entry.ts';
import { erasure } from './de/erasure.ts';
import { examples } from './de/examples.ts';
import { exposure } from './de/exposure.ts';
import { files } from './de/files.ts';
import { functions } from './de/functions.ts';
import { help } from '../../shared/messages/de/help.ts';
import { history } from './de/history.ts';
import { home } from './de/home.ts';
import { imports } from './de/imports.ts';
import { login } from './de/login.ts';
import { move } from './de/move.ts';
import { network } from './de/network.ts';
import { notes } from './de/notes.ts';
import { offers } from './de/offers.ts';
import { people } from './de/users.ts';
import { profile } from './de/profile.ts';
import { recordEditor } from './de/record-editor.ts';
import { recordTable } from './de/record-table.ts';
import { requests } from './de/requests.ts';
import { secondFactor } from './de/second-factor.ts';
import { settings } from './de/settings.ts';
import { invitations } from './de/invitations.ts';
import { shareLinks } from './de/share-links.ts';
import { targetShares } from './de/target-shares.ts';
import { sharedViews } from './de/shared-views.ts';
import { sharing } from './de/sharing.ts';
import { shell } from '../../shared/messages/de/shell.ts';
import { timeline } from './de/timeline.ts';

export const de = {
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
} satisfies Localised<typeof en>;
