import { Button } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../components/confirm.tsx';
import { tell } from '../../components/notices.tsx';
import { refresh } from '../api/queries.ts';

/** Something that can be done next, once it was asked whether it shall be. */
export interface Step {
  label: string;
  title: string;
  text: string;
  /** Something begins by it rather than ends. */
  begins?: boolean;
  does: () => Promise<unknown>;
  /** What is said once it is done. */
  said: string;
}

interface StepsProps {
  steps: readonly Step[];
  /** The other answer: to what begins, and to what ends. */
  words: { notYet: string; keep: string };
  /** What tells of it, and asks again. */
  refreshes: readonly string[];
  /** Reads anew what is shown behind the question, when it was not done: something may have come in between. */
  look?: () => Promise<unknown>;
}

/** What can be done with what is shown, a button each. */
export function Steps({ steps, words, refreshes, look }: StepsProps) {
  const [clicked, setClicked] = useState<Step>();
  // As it is by now: it is about what is shown behind it, which can have been read anew since.
  const asked = steps.find(({ label }) => label === clicked?.label) ?? clicked;
  const run = async ({ does, said }: Step) => {
    try {
      await does();
    } catch (error) {
      await look?.();
      throw error;
    }
    await refresh(...refreshes);
    tell(said);
  };
  return (
    <>
      {steps.map((step) => (
        <Button key={step.label} variant={step.begins === true ? 'filled' : 'default'} onClick={() => setClicked(step)}>
          {step.label}
        </Button>
      ))}
      {asked !== undefined && (
        <Confirm
          opened
          close={() => setClicked(undefined)}
          title={asked.title}
          keep={asked.begins === true ? words.notYet : words.keep}
          submit={asked.label}
          begins={asked.begins === true}
          onConfirm={() => run(asked)}
        >
          {asked.text}
        </Confirm>
      )}
    </>
  );
}
