import { useQuery } from '@tanstack/react-query';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { toSentenceCase } from '../../../../shared/components/program-names.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionsPaused } from '../../../api/functions/queries.ts';
import { functionStateOf } from './state.ts';

const texts = m.functions.next;

interface NextRunProps {
  ownerFunction: OwnerFunction;
  /** For use within a sentence. Omits the condition of a scheduled run. */
  short?: boolean;
}

export function NextRun({ ownerFunction, short = false }: NextRunProps) {
  const { nextRun } = ownerFunction;
  const isPaused = (useQuery(functionsPaused).data?.since ?? null) !== null;
  if (functionStateOf(ownerFunction) === 'decision') return short ? texts.undecided : toSentenceCase(texts.undecided);
  if (nextRun.kind !== 'at') {
    const text = nextRun.kind === 'soon' && isPaused ? texts.paused : texts[nextRun.kind];
    return short ? text : toSentenceCase(text);
  }
  return (
    <>
      <RelativeTime at={nextRun.time} />
      {nextRun.onlyWithData && !short && `, ${texts.ifData}`}
    </>
  );
}
