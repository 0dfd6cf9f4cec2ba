import {
  type Icon,
  IconApps,
  IconDatabase,
  IconEye,
  IconFiles,
  IconHistory,
  IconHome,
  IconInbox,
  IconMathFunction,
  IconSettings,
  IconTimelineEvent,
} from '@tabler/icons-react';
import { m } from './messages/texts.ts';

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
  { id: 'requests', path: '/requests', label: m.shell.nav.requests, icon: IconInbox },
  { id: 'sharing', path: '/sharing', label: m.shell.nav.sharing, icon: IconEye },
  { id: 'data', path: '/data', label: m.shell.nav.data, icon: IconDatabase },
  { id: 'files', path: '/files', label: m.shell.nav.files, icon: IconFiles },
  { id: 'timeline', path: '/timeline', label: m.shell.nav.timeline, icon: IconTimelineEvent },
  { id: 'applications', path: '/applications', label: m.shell.nav.applications, icon: IconApps },
  { id: 'functions', path: '/functions', label: m.shell.nav.functions, icon: IconMathFunction },
  { id: 'history', path: '/history', label: m.shell.nav.history, icon: IconHistory },
  { id: 'settings', path: '/settings', label: m.shell.nav.settings, icon: IconSettings },
];

export const BAR_PLACES = 5;

export function isIn(room: Room, pathname: string): boolean {
  return room.path === '/' ? pathname === '/' : pathname === room.path || pathname.startsWith(`${room.path}/`);
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Keys are anybody's to choose, and can have slashes: one that would be the address of another page gets a sign before it. */
function keyPath(room: string, dataDebitKey: string, pages: readonly string[]): string {
  const [first = ''] = dataDebitKey.split('/');
  const taken = first === '~' || pages.includes(first);
  return `${room}/${taken ? '~/' : ''}${encoded(dataDebitKey)}`;
}

/** What somebody asks for, until it is decided. */
export function requestPath(dataDebitKey: string): string {
  return keyPath('/requests', dataDebitKey, ['offers']);
}

/** What was agreed with somebody, as long as it is kept. */
export function sharingPath(dataDebitKey: string): string {
  return keyPath('/sharing', dataDebitKey, ['contracts']);
}

export const OFFERS = '/requests/offers';

export function offerPath(offerId: string): string {
  return `${OFFERS}/${encodeURIComponent(offerId)}`;
}

export const CONTRACTS = '/sharing/contracts';
export const NETWORK = '/settings/network';
export const EXPOSURE = '/settings/address';
export const PROFILE = '/settings/profile';
export const BACKUP = '/settings/backup';
export const MOVE = '/settings/move';
export const ERASE = '/settings/erase';

/** What would go if this were erased for good; `target` is an application's id, a namespace or a file's id. */
export function erasePath(kind: 'application' | 'namespace' | 'file', target: string): string {
  return `${ERASE}?${new URLSearchParams({ kind, target }).toString()}`;
}

/** Address of an endpoint's records. */
export function endpointPath(endpoint: string): string {
  return `/data/endpoint/${encoded(endpoint)}`;
}

export function recordPath(recordId: string): string {
  return `/data/record/${encodeURIComponent(recordId)}`;
}

/** A file, open beside the list; or the list, narrowed: `filesPath({source: 'photos'})`. */
export function filesPath(view: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(view).toString();
  return query === '' ? '/files' : `/files?${query}`;
}

export function applicationPath(id: string, part?: 'setup' | 'view'): string {
  const path = `/applications/${encodeURIComponent(id)}`;
  return part === undefined ? path : `${path}/${part}`;
}

export function functionPath(id: string, part?: 'enable' | 'dry-run' | 'runs'): string {
  const path = `/functions/${encodeURIComponent(id)}`;
  return part === undefined ? path : `${path}/${part}`;
}

/** One run, open beside the others. */
export function runPath(id: string, runId: string): string {
  return `${functionPath(id, 'runs')}?run=${encodeURIComponent(runId)}`;
}

/** The access history, narrowed: `historyPath({application: 'acme'})`. */
export function historyPath(filter: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(filter).toString();
  return query === '' ? '/history' : `/history?${query}`;
}

export function importPath(importId: string): string {
  return `/data/imports/${importId}`;
}
