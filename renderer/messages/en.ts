import { applications } from './en/applications.ts';
import { consent } from './en/consent.ts';
import { contracts } from './en/contracts.ts';
import { data } from './en/data.ts';
import { entry } from './en/entry.ts';
import { exposure } from './en/exposure.ts';
import { files } from './en/files.ts';
import { functions } from './en/functions.ts';
import { history } from './en/history.ts';
import { home } from './en/home.ts';
import { imports } from './en/imports.ts';
import { login } from './en/login.ts';
import { network } from './en/network.ts';
import { offers } from './en/offers.ts';
import { people } from './en/people.ts';
import { requests } from './en/requests.ts';
import { settings } from './en/settings.ts';
import { sharing } from './en/sharing.ts';
import { shell } from './en/shell.ts';
import { timeline } from './en/timeline.ts';

/** Every text of the dashboard. Another language is another object of this shape. */
export const m = {
  shell,
  entry,
  home,
  consent,
  requests,
  sharing,
  data,
  imports,
  files,
  settings,
  applications,
  history,
  people,
  login,
  functions,
  timeline,
  offers,
  contracts,
  network,
  exposure,
} as const;

/** The catalogue with its words left open: what another language has to provide. */
export type Messages = typeof m;
