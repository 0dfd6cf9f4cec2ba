import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { examples, addExamples } from '../api/account/examples.ts';
import { m } from '../../shared/messages/texts.ts';
import { SubmitError } from '../../shared/feedback/states.tsx';
import { useSubmit } from '../../shared/feedback/use-submit.ts';

/** Renders nothing unless example data can be added. */
export function ExampleDataOffer() {
  const exampleState = useQuery(examples).data;
  const { busy, problem, run } = useSubmit();
  if (exampleState === undefined || exampleState.stored !== null) return null;
  return (
    <>
      <Button variant="default" size="xs" loading={busy} onClick={() => void run(addExamples)}>
        {m.examples.offer}
      </Button>
      <SubmitError problem={problem} />
    </>
  );
}
