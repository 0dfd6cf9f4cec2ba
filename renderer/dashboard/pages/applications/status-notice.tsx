import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { type Notice, NoticeCallout } from '../../components/notice.tsx';
import { applicationPath } from '../../navigation.ts';
import { countAdditions, findApplicationChanges } from './consent/differences.ts';
import type { ApplicationState } from './status.ts';

const words = m.applications.notice;

export function ApplicationNotice({ application, state }: { application: OwnerApplication; state: ApplicationState }) {
  const notice = noticeOf(application, state);
  return notice === undefined ? null : <NoticeCallout {...notice} />;
}

function noticeOf(application: OwnerApplication, state: ApplicationState): Notice | undefined {
  const { item, approved, status } = application;
  const { id, info } = item.application;
  const setup = applicationPath(id, 'setup');
  switch (state) {
    case 'available':
      return undefined;
    case 'stopped':
      return {
        tone: 'neutral',
        title: m.applications.stop.done(info.name),
        text: words.stoppedText,
        action: { label: words.stoppedGo, to: setup },
      };
    case 'approval': {
      const changes = findApplicationChanges(application);
      const requestsMore = changes !== undefined && countAdditions(changes) > 0;
      return {
        tone: 'attention',
        title: (requestsMore ? words.approval : words.incompatible)(info.version),
        text: words.approvalText(info.name, approved?.version ?? ''),
        action: { label: words.approvalGo, to: setup },
      };
    }
    case 'problem':
      if (status?.ok === false) {
        return {
          tone: 'error',
          title: words.problem(info.name),
          text: (
            <>
              {words.problemStatus(status.problem ?? '')} {words.checked} <RelativeTime at={status.checked} />.
            </>
          ),
        };
      }
      return {
        tone: 'error',
        title: words.problem(info.name),
        text: words.problemDebit,
        action: { label: words.problemDebitGo, to: setup },
      };
    case 'running':
      if (approved === null || approved.version === info.version) return undefined;
      return { tone: 'neutral', title: words.newer(info.version), action: { label: words.newerGo, to: setup } };
  }
}
