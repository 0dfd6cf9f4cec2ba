import { Text } from '@mantine/core';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { RightItems, type RightItem } from '../../../../shared/components/right-items.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { useDataDisplay } from '../../../consent/use-data-names.ts';
import { ChosenIcon } from '../../data/endpoints/endpoint-icon.tsx';

interface RightsListProps {
  rights: readonly RightItem[];
  /** Requested roles that grant no rights. */
  other?: readonly string[];
  isRemoved?: boolean;
}

const NO_ROLES: readonly string[] = [];

const renderNamespaceLabel = ({ namespace }: RightItem) =>
  namespace !== undefined && <NamespaceLabel namespace={namespace} />;

function NamespaceLabel({ namespace }: { namespace: string }) {
  const display = useDataDisplay().namespaceDisplayOf(namespace);
  if (display === undefined) return null;
  const { name, icon, colour } = display;
  return (
    <>
      <ChosenIcon icon={icon} colour={colour} /> {name !== undefined && <UntrustedText>{`(${name})`}</UntrustedText>}
    </>
  );
}

export function RightsList({ rights, other = NO_ROLES, isRemoved = false }: RightsListProps) {
  return (
    <>
      {rights.length > 0 && <RightItems rights={rights} isRemoved={isRemoved} renderSuffix={renderNamespaceLabel} />}
      {other.length > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          {m.applications.rights.other(other)}
        </Text>
      )}
    </>
  );
}
