import { useQuery } from '@tanstack/react-query';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { toSentenceCase } from '../../../../shared/components/display-names.ts';
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
  const format = (text: string): string => (short ? text : toSentenceCase(text));
  if (functionStateOf(ownerFunction) === 'decision') return format(texts.undecided);
  const isAutomatic = nextRun.kind !== 'never' && nextRun.kind !== 'by hand';
  if (isPaused && isAutomatic) return format(texts.paused);
  if (nextRun.kind !== 'at') return format(texts[nextRun.kind]);
  return (
    <>
      <RelativeTime at={nextRun.time} />
      {nextRun.onlyWithData && !short && `, ${texts.ifData}`}
    </>
  );
}
