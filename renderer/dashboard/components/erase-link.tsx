import { m } from '../../shared/messages/texts.ts';
import { erasePath } from '../navigation.ts';
import { TextLink } from '../../shared/components/text-link.tsx';

/** Opens a preview. Following the link erases nothing. */
export function EraseLink({ kind, target }: { kind: 'application' | 'file'; target: string }) {
  return (
    <TextLink
      to={erasePath(kind, target)}
      c="var(--stop)"
      display="inline-block"
      mt="md"
      py={{ base: 'xs', sm: 2 }}
      data-standalone
    >
      {m.erasure.link[kind]}
    </TextLink>
  );
}
