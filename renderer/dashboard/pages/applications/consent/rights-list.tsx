import { Text } from '@mantine/core';
import { RightItems, type RightItem } from '../../../../shared/components/right-items.tsx';
import { m } from '../../../../shared/messages/texts.ts';

interface RightsListProps {
  rights: readonly RightItem[];
  /** Requested roles that grant no rights. */
  other?: readonly string[];
  /** Strikes the rights through: they are no longer requested. */
  isRemoved?: boolean;
}

const NONE: readonly string[] = [];

/** Rights of an application, and its requested roles that have no effect. */
export function RightsList({ rights, other = NONE, isRemoved = false }: RightsListProps) {
  return (
    <>
      {rights.length > 0 && <RightItems rights={rights} isRemoved={isRemoved} />}
      {other.length > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          {m.applications.rights.other(other)}
        </Text>
      )}
    </>
  );
}
