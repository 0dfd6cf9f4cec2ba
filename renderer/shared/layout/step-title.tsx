import { Text, Title } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import classes from './step-title.module.css';

// Steps are remounted, so this module remembers which one was shown before.
let shownStep: string | undefined;

/** The heading of a step takes the focus when one came from another step; a field that wants it has it, or takes it next. */
function useStepHeading(step: string | undefined): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const isNext = shownStep !== undefined && shownStep !== step;
    shownStep = step ?? shownStep;
    if (isNext && document.activeElement === document.body) heading.current?.focus();
  }, [step]);
  return heading;
}

interface StepTitleProps {
  title: string;
  text: ReactNode;
  /** Another value moves the focus to the heading: the next step. */
  step: string | undefined;
}

/** What a page before one is inside is about. */
export function StepTitle({ title, text, step }: StepTitleProps) {
  const heading = useStepHeading(step);
  return (
    <>
      <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
        {title}
      </Title>
      {text !== undefined && (
        <Text size="md" c="dimmed" mt="sm">
          {text}
        </Text>
      )}
    </>
  );
}
