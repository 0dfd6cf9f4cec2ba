import { type Icon, IconDatabase, IconHome, IconSettings } from '@tabler/icons-react';
import { m } from './messages/en.ts';

export interface Room {
  id: string;
  path: string;
  label: string;
  icon: Icon;
}

/**
 * The rooms of the dashboard in the order of the side bar. A phone shows the first four of them in its bar and the others
 * behind "More"; with five or fewer all of them fit.
 */
export const rooms: readonly Room[] = [
  { id: 'home', path: '/', label: m.shell.nav.home, icon: IconHome },
  { id: 'data', path: '/data', label: m.shell.nav.data, icon: IconDatabase },
  { id: 'settings', path: '/settings', label: m.shell.nav.settings, icon: IconSettings },
];

export const BAR_PLACES = 5;

export function isIn(room: Room, pathname: string): boolean {
  return room.path === '/' ? pathname === '/' : pathname === room.path || pathname.startsWith(`${room.path}/`);
}

/** Address of an endpoint's records. */
export function endpointPath(endpoint: string): string {
  return `/data/endpoint/${endpoint.split('/').map(encodeURIComponent).join('/')}`;
}

export function importPath(importId: string): string {
  return `/data/imports/${importId}`;
}
