import { availableData } from './en/data.ts';
import { applications } from './en/applications.ts';
import { frame } from './en/frame.ts';
import { offers } from './en/offers.ts';
import { overview } from './en/overview.ts';
import { administration } from './en/administration.ts';
import { plugs } from './en/plugs.ts';

/** English texts of the operator's pages. Defines the shape of all other languages. */
export const en = { ...frame, overview, applications, offers, plugs, ...administration, availableData } as const;
