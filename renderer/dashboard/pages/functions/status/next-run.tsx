import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { toSentenceCase } from '../../../../shared/components/program-names.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionStateOf } from './state.ts';

const words = m.functions.next;

interface NextRunProps {
  ownerFunction: OwnerFunction;
  /** Shows only the time, for use within a sentence. */
  short?: boolean;
}

/** Time or condition of the next run, if known. */
export function NextRun({ ownerFunction, short = false }: NextRunProps) {
  const next = ownerFunction.nextRun;
  if (functionStateOf(ownerFunction) === 'decision') return short ? words.undecided : toSentenceCase(words.undecided);
  if (next.kind !== 'at') return short ? words[next.kind] : toSentenceCase(words[next.kind]);
  return (
    <>
      <RelativeTime at={next.time} />
      {next.onlyWithData && !short && `, ${words.ifData}`}
    </>
  );
}
