import type { Icon } from '@tabler/icons-react';
import type { ComponentType } from 'react';

/** Entry of the sidebar and of the bottom bar on a phone. */
export interface NavigationEntry {
  id: string;
  path: string;
  label: string;
  icon: Icon;
}

/** Returns a loader for a route. The page is a separate chunk, loaded when it is first opened. */
export const lazyPage =
  <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  async () => ({ Component: (await load())[name] });

/** Number of items that fit into a bottom bar of 320 pixels, including "More". */
export const BOTTOM_BAR_MAX_ITEMS = 6;

export function isUnderEntry({ path }: Pick<NavigationEntry, 'path'>, pathname: string): boolean {
  return path === '/' ? pathname === '/' : pathname === path || pathname.startsWith(`${path}/`);
}
