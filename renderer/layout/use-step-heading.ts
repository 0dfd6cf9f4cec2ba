import { type RefObject, useEffect, useRef } from 'react';

// Each step is drawn anew; only from here can it be told that one came from another step.
let shownStep: string | undefined;

/** The heading of a step takes the focus when one came from another step; a field that wants it has taken it already. */
export function useStepHeading(step: string | undefined): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const isNext = shownStep !== undefined && shownStep !== step;
    shownStep = step ?? shownStep;
    if (isNext && document.activeElement === document.body) heading.current?.focus();
  }, [step]);
  return heading;
}
