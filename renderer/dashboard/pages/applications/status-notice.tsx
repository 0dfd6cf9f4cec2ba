import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { type Notice, NoticeCallout } from '../../components/notice.tsx';
import { applicationPath } from '../../navigation.ts';
import { countAdditions, findApplicationChanges } from './consent/differences.ts';
import type { ApplicationState } from './status.ts';

const texts = m.applications.notice;

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
        text: texts.stoppedText,
        action: { label: texts.stoppedGo, to: setup },
      };
    case 'approval': {
      const changes = findApplicationChanges(application);
      const requestsMore = changes !== undefined && countAdditions(changes) > 0;
      return {
        tone: 'attention',
        title: (requestsMore ? texts.approval : texts.incompatible)(info.version),
        text: texts.approvalText(info.name, approved?.version ?? ''),
        action: { label: texts.approvalGo, to: setup },
      };
    }
    case 'problem':
      if (status?.ok === false) {
        return {
          tone: 'error',
          title: texts.problem(info.name),
          text: (
            <>
              {texts.problemStatus(status.problem ?? '')} {texts.checked} <RelativeTime at={status.checked} />.
            </>
          ),
        };
      }
      return {
        tone: 'error',
        title: texts.problem(info.name),
        text: texts.problemDebit,
        action: { label: texts.problemDebitGo, to: setup },
      };
    case 'running':
      if (approved === null || approved.version === info.version) return undefined;
      return { tone: 'neutral', title: texts.newer(info.version), action: { label: texts.newerGo, to: setup } };
  }
}
