import type { Icon } from '@tabler/icons-react';

/** One entry of the side bar and of the bottom bar on a phone. */
export interface NavigationEntry {
  id: string;
  path: string;
  label: string;
  icon: Icon;
}

/** Number of items that fit into a bottom bar 320 pixels wide, including the "more" item. */
export const BOTTOM_BAR_MAX_ENTRIES = 6;

/** Returns true if a page belongs to a navigation entry. */
export function isUnderEntry({ path }: Pick<NavigationEntry, 'path'>, pathname: string): boolean {
  return path === '/' ? pathname === '/' : pathname === path || pathname.startsWith(`${path}/`);
}
