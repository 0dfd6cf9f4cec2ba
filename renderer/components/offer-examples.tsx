import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { examples, putExamples } from '../api/examples.ts';
import { m } from '../messages/texts.ts';
import { NotDone } from './states.tsx';
import { useAct } from './use-act.ts';

/** In an empty room: a look at how it is when it is not. Nothing where the example data is here already. */
export function OfferExamples() {
  const now = useQuery(examples).data;
  const { busy, problem, act } = useAct();
  if (now === undefined || now.put !== null) return null;
  return (
    <>
      <Button variant="default" size="xs" loading={busy} onClick={() => void act(putExamples)}>
        {m.examples.offer}
      </Button>
      <NotDone problem={problem} />
    </>
  );
}
