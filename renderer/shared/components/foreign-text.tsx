import { withoutBidiControls } from '../../../server/wire/isolation.ts';

/** Text of a third party, isolated so that its writing direction does not affect the text around it. */
export function ForeignText({ children }: { children: string }) {
  return <bdi>{withoutBidiControls(children)}</bdi>;
}
