import { withoutBidiControls } from '../../server/wire/isolation.ts';

/** Text that others wrote, isolated from the words around it. */
export function Foreign({ children }: { children: string }) {
  return <bdi>{withoutBidiControls(children)}</bdi>;
}
