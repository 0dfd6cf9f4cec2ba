import { useQuery } from '@tanstack/react-query';
import { applications, outbox } from '../../../api/sharing/access.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { applicationPath } from '../../../navigation.ts';
import { applicationStateOf } from '../../applications/status.ts';
import type { AttentionItem } from './attention-item.ts';

const texts = m.home.accessProblems;

export function useApplicationItems(): AttentionItem[] | undefined {
  return useQuery(applications).data?.flatMap((application): AttentionItem[] => {
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
}

export function useOutboxItems(): AttentionItem[] | undefined {
  const deadCount = useQuery(outbox).data?.filter(({ state }) => state === 'dead').length;
  if (deadCount === undefined) return undefined;
  if (deadCount === 0) return [];
  return [
    {
      id: 'outbox',
      title: texts.undelivered(deadCount),
      text: texts.undeliveredText,
      to: '/history/messages',
      isError: true,
    },
  ];
}
