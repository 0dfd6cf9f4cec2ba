import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { toSentenceCase } from '../../../../shared/components/program-names.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionStateOf } from './state.ts';

const words = m.functions.next;

interface NextRunProps {
  one: OwnerFunction;
  /** Within a line: only the moment. */
  short?: boolean;
}

/** When it runs next, as far as that can be known. */
export function NextRun({ one, short = false }: NextRunProps) {
  const next = one.nextRun;
  if (functionStateOf(one) === 'decision') return short ? words.undecided : toSentenceCase(words.undecided);
  if (next.kind !== 'at') return short ? words[next.kind] : toSentenceCase(words[next.kind]);
  return (
    <>
      <RelativeTime at={next.time} />
      {next.onlyWithData && !short && `, ${words.ifData}`}
    </>
  );
}
