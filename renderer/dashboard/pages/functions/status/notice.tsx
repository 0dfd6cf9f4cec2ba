import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { useFunctionName } from '../../../api/functions/queries.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type Notice, NoticeCallout } from '../../../components/notice.tsx';
import { functionPath, historyPath, runPath } from '../../../navigation.ts';
import { isOn, functionStateOf } from './state.ts';
import { nameOf } from '../function-text.ts';

const words = m.functions.notice;

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
    title: words.remote(place.host),
    text: words.remoteText,
    ...(isOn(ownerFunction) ? { action: { label: words.remoteGo, to: historyPath() } } : {}),
  };
}

function statusNotice(ownerFunction: OwnerFunction, functionName: (id: string) => string): Notice | undefined {
  const { id, failures, lastRun, nextRun, cycle, place, problem, approved } = ownerFunction;
  const name = nameOf(ownerFunction);
  switch (functionStateOf(ownerFunction)) {
    case 'decision':
      return {
        tone: 'attention',
        title: words.decision(name),
        text: words.decisionText,
        action: { label: words.decisionGo, to: functionPath(id, 'enable') },
      };
    case 'failing':
      return {
        tone: 'error',
        title: words.failing(failures),
        text: (
          <>
            {lastRun?.message != null && `${lastRun.message} `}
            {nextRun.kind === 'at' && !nextRun.onlyWithData ? (
              <>
                {words.failingAgain} <RelativeTime at={nextRun.time} />.
              </>
            ) : (
              words.failingEnd
            )}
          </>
        ),
        ...(lastRun === null ? {} : { action: { label: words.failingGo, to: runPath(id, lastRun.runId) } }),
      };
    case 'cycle':
      return {
        tone: 'error',
        title: words.cycle,
        text:
          cycle === null || cycle.chain.length < 2
            ? words.cycleAlone
            : words.cycleText(cycle.chain.map((functionId) => functionName(functionId))),
      };
    case 'unavailable':
      return {
        tone: 'error',
        title: words.unavailable,
        text:
          problem === null
            ? words.unavailableText
            : place.kind === 'here'
              ? problem
              : words.unavailableRemote(place.host, problem),
      };
    case 'removed':
      return { tone: 'neutral', title: words.removed, text: words.removedText };
    case 'off':
      return {
        tone: 'neutral',
        title: words.off,
        text: approved === null ? words.offText : undefined,
      };
    default:
      return undefined;
  }
}
