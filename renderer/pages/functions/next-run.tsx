import type { OwnerFunction } from '../../api/contract.ts';
import { sentenceCase } from '../../components/consent/names.ts';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import { stateOf } from './state.ts';

const words = m.functions.next;

interface NextRunProps {
  one: OwnerFunction;
  /** Within a line: only the moment. */
  short?: boolean;
}

/** When it runs next, as far as that can be known. */
export function NextRun({ one, short = false }: NextRunProps) {
  const next = one.nextRun;
  if (stateOf(one) === 'decision') return short ? words.undecided : sentenceCase(words.undecided);
  if (next.kind !== 'at') return short ? words[next.kind] : sentenceCase(words[next.kind]);
  return (
    <>
      <When at={next.time} />
      {next.onlyWithData && !short && `, ${words.ifData}`}
    </>
  );
}
