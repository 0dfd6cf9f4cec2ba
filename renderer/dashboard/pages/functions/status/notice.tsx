import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { useFunctionName } from '../../../api/functions/queries.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath, historyPath, runPath } from '../../../navigation.ts';
import { isOn, functionStateOf } from './state.ts';
import { nameOf } from '../function-text.ts';

const words = m.functions.notice;

interface Said {
  tone: 'attention' | 'error' | 'neutral';
  title: string;
  text?: React.ReactNode;
  action?: { label: string; to: string };
}

/** What the owner has to know of it first, and that its data leaves, if it does; nothing when all is well. */
export function FunctionNotice({ one }: { one: OwnerFunction }) {
  const functionName = useFunctionName();
  const found = [said(one, functionName), leaving(one)].filter((each) => each !== undefined);
  return found.map(({ tone, title, text, action }) => (
    <Callout
      key={title}
      tone={tone}
      title={title}
      action={
        action !== undefined && (
          <Button component={Link} to={action.to} variant="default" size="xs">
            {action.label}
          </Button>
        )
      }
    >
      {text}
    </Callout>
  ));
}

function leaving(one: OwnerFunction): Said | undefined {
  const { place, registered } = one;
  if (place.kind === 'here' || !registered) return undefined;
  return {
    tone: 'attention',
    title: words.elsewhere(place.host),
    text: words.elsewhereText,
    ...(isOn(one) ? { action: { label: words.elsewhereGo, to: historyPath() } } : {}),
  };
}

function said(one: OwnerFunction, functionName: (id: string) => string): Said | undefined {
  const { id, failures, lastRun, nextRun, cycle, place, problem, approved } = one;
  const name = nameOf(one);
  switch (functionStateOf(one)) {
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
    case 'circle':
      return {
        tone: 'error',
        title: words.circle,
        text:
          cycle === null || cycle.chain.length < 2
            ? words.circleAlone
            : words.circleText(cycle.chain.map((each) => functionName(each))),
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
              : words.unavailableElsewhere(place.host, problem),
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
