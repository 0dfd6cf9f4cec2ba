import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { useFunctionName } from '../../../api/functions/queries.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type Notice, NoticeCallout } from '../../../components/notice.tsx';
import { functionPath, historyPath, runPath } from '../../../navigation.ts';
import { isOn, functionStateOf } from './state.ts';
import { nameOf } from '../function-text.ts';

const texts = m.functions.notice;

export function FunctionNotice({ ownerFunction }: { ownerFunction: OwnerFunction }) {
  const functionName = useFunctionName();
  const notices = [statusNotice(ownerFunction, functionName), remoteNotice(ownerFunction)].filter(
    (notice) => notice !== undefined,
  );
  return notices.map((notice) => <NoticeCallout key={notice.title} {...notice} />);
}

function remoteNotice(ownerFunction: OwnerFunction): Notice | undefined {
  const { place, registered } = ownerFunction;
  if (place.kind === 'here' || !registered) return undefined;
  return {
    tone: 'attention',
    title: texts.remote(place.host),
    text: texts.remoteText,
    ...(isOn(ownerFunction) ? { action: { label: texts.remoteGo, to: historyPath() } } : {}),
  };
}

function statusNotice(ownerFunction: OwnerFunction, functionName: (id: string) => string): Notice | undefined {
  const { id, failures, lastRun, nextRun, cycle, place, problem, approved } = ownerFunction;
  const name = nameOf(ownerFunction);
  switch (functionStateOf(ownerFunction)) {
    case 'decision':
      return {
        tone: 'attention',
        title: texts.decision(name),
        text: texts.decisionText,
        action: { label: texts.decisionGo, to: functionPath(id, 'enable') },
      };
    case 'failing':
      return {
        tone: 'error',
        title: texts.failing(failures),
        text: (
          <>
            {lastRun?.message != null && `${lastRun.message} `}
            {nextRun.kind === 'at' && !nextRun.onlyWithData ? (
              <>
                {texts.failingAgain} <RelativeTime at={nextRun.time} />.
              </>
            ) : nextRun.kind === 'by hand' ? (
              texts.failingManual
            ) : (
              texts.failingEnd
            )}
          </>
        ),
        ...(lastRun === null ? {} : { action: { label: texts.failingGo, to: runPath(id, lastRun.runId) } }),
      };
    case 'cycle':
      return {
        tone: 'error',
        title: texts.cycle,
        text: texts.cycleText((cycle?.chain ?? []).map((functionId) => functionName(functionId))),
      };
    case 'unavailable':
      return {
        tone: 'error',
        title: texts.unavailable,
        text:
          problem === null
            ? texts.unavailableText
            : place.kind === 'here'
              ? problem
              : texts.unavailableRemote(place.host, problem),
      };
    case 'removed':
      return { tone: 'neutral', title: texts.removed, text: texts.removedText };
    case 'off':
      return {
        tone: 'neutral',
        title: texts.off,
        text: approved === null ? texts.offText : undefined,
      };
    default:
      return undefined;
  }
}
