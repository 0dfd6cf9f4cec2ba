import {
  IconApps,
  IconDatabase,
  IconGift,
  IconHistory,
  IconHome,
  IconPlug,
  IconServer2,
  IconUsers,
} from '@tabler/icons-react';
import type { AccountRole } from '../../server/wire/exchange.ts';
import type { NavigationEntry } from '../shared/layout/navigation.ts';
import { messages } from './messages/texts.ts';

export interface OperatorNavigationEntry extends NavigationEntry {
  id: 'overview' | 'applications' | 'offers' | 'plugs' | 'pdas' | 'data' | 'accounts' | 'audit';
  /** Required role; undefined if every account may open the page. */
  role?: AccountRole;
}

/** Pages whose items need a decision come directly after the overview. */
export const navigationEntries: readonly OperatorNavigationEntry[] = [
  { id: 'overview', path: '/', label: messages.nav.overview, icon: IconHome },
  { id: 'applications', path: '/applications', label: messages.nav.applications, icon: IconApps, role: 'developer' },
  { id: 'offers', path: '/offers', label: messages.nav.offers, icon: IconGift, role: 'marketPlace' },
  { id: 'plugs', path: '/plugs', label: messages.nav.plugs, icon: IconPlug, role: 'dataPlug' },
  { id: 'pdas', path: '/pdas', label: messages.nav.pdas, icon: IconServer2, role: 'administrator' },
  { id: 'data', path: '/data', label: messages.nav.data, icon: IconDatabase },
  { id: 'accounts', path: '/accounts', label: messages.nav.accounts, icon: IconUsers, role: 'administrator' },
  { id: 'audit', path: '/audit', label: messages.nav.audit, icon: IconHistory, role: 'administrator' },
];

export const applicationPath = (id: string): string => `/applications/${encodeURIComponent(id)}`;
export const offerPath = (id: string): string => `/offers/${encodeURIComponent(id)}`;
