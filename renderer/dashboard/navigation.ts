import {
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
import { dataDebitPath, encodePath } from '../../server/wire/dashboard-paths.ts';
import { urlOf } from '../shared/api/url.ts';
import type { NavigationEntry } from '../shared/layout/navigation.ts';
import { m } from '../shared/messages/texts.ts';

/** Main pages in the order of the sidebar. The key `g` followed by `key` opens the page. */
export const navigationEntries: readonly (NavigationEntry & { key: string })[] = [
  { id: 'home', path: '/', label: m.home.pageTitle, icon: IconHome, key: 'h' },
  { id: 'requests', path: '/requests', label: m.requests.pageTitle, icon: IconInbox, key: 'r' },
  { id: 'sharing', path: '/sharing', label: m.sharing.pageTitle, icon: IconEye, key: 's' },
  { id: 'data', path: '/data', label: m.data.pageTitle, icon: IconDatabase, key: 'd' },
  { id: 'files', path: '/files', label: m.files.pageTitle, icon: IconFiles, key: 'f' },
  { id: 'timeline', path: '/timeline', label: m.timeline.pageTitle, icon: IconTimelineEvent, key: 't' },
  { id: 'applications', path: '/applications', label: m.applications.pageTitle, icon: IconApps, key: 'a' },
  { id: 'functions', path: '/functions', label: m.functions.pageTitle, icon: IconMathFunction, key: 'u' },
  { id: 'history', path: '/history', label: m.history.pageTitle, icon: IconHistory, key: 'y' },
  { id: 'settings', path: '/settings', label: m.settings.sections.label, icon: IconSettings, key: 'e' },
];

/** Without a pending request, the page redirects to `sharingPath`. */
export function requestPath(dataDebitKey: string): string {
  return dataDebitPath('/requests', dataDebitKey);
}

export function sharingPath(dataDebitKey: string): string {
  return dataDebitPath('/sharing', dataDebitKey);
}

/** @param path path and query of the previewed guest page; default: the guest's first page */
export function guestPreviewPath(userId: string, path?: string): string {
  return urlOf('/sharing/guests/:userId', { params: { userId }, query: { path } });
}

/** @param after cursor of the page; empty for the first page */
export function linkPreviewPath(linkId: string, after = ''): string {
  return urlOf('/sharing/links/:linkId', { params: { linkId }, query: { after: after === '' ? undefined : after } });
}

export const OFFERS_PATH = '/requests/offers';

export function offerPath(offerId: string): string {
  return `${OFFERS_PATH}/${encodeURIComponent(offerId)}`;
}

export const CONTRACTS_PATH = '/sharing/contracts';
export const LINKS_PATH = '/sharing/links';
export const NOTES_PATH = '/data/notes';
export const PEOPLE_PATH = '/settings/people';
export const NETWORK_PATH = '/settings/network';
export const EXPOSURE_PATH = '/settings/address';
export const PROFILE_PATH = '/settings/profile';
export const BACKUP_PATH = '/settings/backup';
export const MOVE_PATH = '/settings/move';
export const ERASE_PATH = '/settings/erase';

/** @param target an application's id, a namespace or a file's id */
export function erasePath(kind: 'application' | 'namespace' | 'file', target: string): string {
  return urlOf(ERASE_PATH, { query: { kind, target } });
}

export function endpointPath(endpoint: string): string {
  return `/data/endpoint/${encodePath(endpoint)}`;
}

export function recordPath(recordId: string): string {
  return `/data/record/${encodeURIComponent(recordId)}`;
}

/** @param view open file and filters, such as `{ source: 'photos' }` */
export function filesPath(view: Readonly<Record<string, string>> = {}): string {
  return urlOf('/files', { query: view });
}

export function applicationPath(id: string, subpage?: 'setup' | 'view'): string {
  const path = `/applications/${encodeURIComponent(id)}`;
  return subpage === undefined ? path : `${path}/${subpage}`;
}

export function functionPath(id: string, subpage?: 'enable' | 'dry-run' | 'runs'): string {
  const path = `/functions/${encodeURIComponent(id)}`;
  return subpage === undefined ? path : `${path}/${subpage}`;
}

export function runPath(id: string, runId: string): string {
  return `${functionPath(id, 'runs')}?run=${encodeURIComponent(runId)}`;
}

/** @param filter such as `{ application: 'acme' }` */
export function historyPath(filter: Readonly<Record<string, string>> = {}): string {
  return urlOf('/history', { query: filter });
}

export function importPath(importId: string): string {
  return `/data/imports/${importId}`;
}
