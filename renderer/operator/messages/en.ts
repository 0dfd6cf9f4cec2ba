import { available } from './en/data.ts';
import { applications } from './en/applications.ts';
import { frame } from './en/frame.ts';
import { offers } from './en/offers.ts';
import { overview } from './en/overview.ts';
import { people } from './en/people.ts';
import { plugs } from './en/plugs.ts';

/** Every text of the operator's page. The shape that each other language has. */
export const en = { ...frame, overview, applications, offers, plugs, ...people, available } as const;
