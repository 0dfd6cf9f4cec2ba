import { data } from './en/data.ts';
import { entry } from './en/entry.ts';
import { home } from './en/home.ts';
import { imports } from './en/imports.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';

/** Every text of the dashboard. Another language is another object of this shape. */
export const m = { shell, entry, home, data, imports, settings } as const;

/** The catalogue with its words left open: what another language has to provide. */
export type Messages = typeof m;
