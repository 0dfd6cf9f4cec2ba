import type { Standing } from '../../../components/mark.tsx';
import type { Listed } from '../../api/client.ts';
import { x } from '../../messages/texts.ts';

export const STANDING: Record<Listed['state'], Standing> = {
  draft: 'none',
  waiting: 'decision',
  published: 'well',
  suspended: 'stopped',
};

export const LIST = { path: '/applications', words: x.applications };
