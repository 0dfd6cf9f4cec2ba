import { useQuery } from '@tanstack/react-query';
import { applications, outbox } from '../../../api/sharing/access.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { applicationPath } from '../../../navigation.ts';
import { applicationStateOf } from '../../applications/status.ts';
import type { AttentionItem } from './items.ts';

const texts = m.home.outgoing;

export function useAccessItems(): AttentionItem[] {
  const catalogue = useQuery(applications).data ?? [];
  const deadCount = (useQuery(outbox).data ?? []).filter(({ state }) => state === 'dead').length;
  const items: AttentionItem[] = catalogue.flatMap((application): AttentionItem[] => {
    const { id, info } = application.item.application;
    const base = { id: `application ${id}`, to: applicationPath(id) };
    switch (applicationStateOf(application)) {
      case 'approval':
        return [
          {
            ...base,
            title: texts.applicationApproval(info.name),
            text: texts.applicationApprovalText,
            to: applicationPath(id, 'setup'),
            isError: false,
          },
        ];
      case 'problem':
        return [
          {
            ...base,
            title: texts.applicationProblem(info.name),
            text: application.status?.problem ?? '',
            isError: true,
          },
        ];
      default:
        return [];
    }
  });
  if (deadCount > 0) {
    items.push({
      id: 'outbox',
      title: texts.undelivered(deadCount),
      text: texts.undeliveredText,
      to: '/history/messages',
      isError: true,
    });
  }
  return items;
}
