import type { BadgeStatus } from '../../../shared/components/status-badge.tsx';
import type { ListedApplication } from '../../api/client.ts';
import { messages } from '../../messages/texts.ts';

export const APPLICATION_STATUS_BY_STATE: Record<ListedApplication['state'], BadgeStatus> = {
  draft: 'none',
  waiting: 'attention',
  published: 'ok',
  suspended: 'stopped',
};

export const APPLICATION_LIST_PAGE = { path: '/applications', texts: messages.applications };
