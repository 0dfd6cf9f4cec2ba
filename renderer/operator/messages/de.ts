import type { en } from './en.ts';
import type { Localised } from '../../shared/messages/localised.ts';
import { availableData } from './de/data.ts';
import { applications } from './de/applications.ts';
import { frame } from './de/frame.ts';
import { offers } from './de/offers.ts';
import { overview } from './de/overview.ts';
import { administration } from './de/administration.ts';
import { plugs } from './de/plugs.ts';

/** German texts of the operator's pages. */
export const de = {
  ...frame,
  overview,
  applications,
  offers,
  plugs,
  ...administration,
  availableData,
} satisfies Localised<typeof en>;
