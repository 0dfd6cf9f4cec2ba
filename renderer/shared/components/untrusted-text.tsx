import { withoutBidiControls } from '../../../server/wire/isolation.ts';

/** Third-party text, isolated so that its writing direction does not affect the surrounding text. */
export function UntrustedText({ children }: { children: string }) {
  return <bdi>{withoutBidiControls(children)}</bdi>;
}
