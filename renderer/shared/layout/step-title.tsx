import { Text, Title } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import classes from './step-title.module.css';

// Module state, because each step mounts its own heading.
let previousStep: string | undefined;

/** Focuses the heading when the step changes, unless another element has the focus. */
function useStepHeading(step: string | undefined): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const hasChanged = previousStep !== undefined && previousStep !== step;
    previousStep = step ?? previousStep;
    if (hasChanged && document.activeElement === document.body) heading.current?.focus();
  }, [step]);
  return heading;
}

interface StepTitleProps {
  title: string;
  text: ReactNode;
  step: string | undefined;
}

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
