import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAbc, IconDownload, IconEraser, IconHistory, IconPlus, IconTrash } from '@tabler/icons-react';
import { Link } from 'react-router';
import { namespaceOf } from '../../../../../server/wire/display-name.ts';
import type { EndpointSummary } from '../../../../shared/api/contract.ts';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { withParameters, useUrlQuery } from '../../../../shared/form/use-url-query.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { erasePath } from '../../../navigation.ts';
import { exportRecords } from '../record-table/export-records.ts';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import { EditNames } from './edit-names.tsx';
import classes from './endpoint-actions.module.css';

const texts = m.data.endpoint;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

export function EndpointActions({ endpoint, summary }: { endpoint: string; summary: EndpointSummary | undefined }) {
  const [, setQuery] = useUrlQuery();
  const [isDeleting, deletionDialog] = useDisclosure(false);
  const [isEditingNames, namesDialog] = useDisclosure(false);
  const namespace = namespaceOf(endpoint);
  const hasRecords = summary !== undefined && summary.records > 0;
  const add = () => setQuery(withParameters({ add: '1' }));
  return (
    <>
      <Button variant="default" onClick={add} aria-label={m.data.add}>
        <IconPlus {...ICON_PROPS} />
        <span className={classes.addLabel}>{m.data.add}</span>
      </Button>
      <OverflowMenu label={m.shell.moreActions}>
        <Menu.Item disabled={!hasRecords} leftSection={<IconAbc {...ICON_PROPS} />} onClick={namesDialog.open}>
          {m.data.names.action}
        </Menu.Item>
        <Menu.Item
          disabled={!hasRecords}
          leftSection={<IconDownload {...ICON_PROPS} />}
          onClick={() => void exportRecords({ endpoint }, 'ndjson', texts.exportText(endpoint))}
        >
          {texts.exportNdjson}
        </Menu.Item>
        <Menu.Item
          disabled={!hasRecords}
          leftSection={<IconDownload {...ICON_PROPS} />}
          onClick={() => void exportRecords({ endpoint }, 'csv', texts.exportText(endpoint))}
        >
          {texts.exportCsv}
        </Menu.Item>
        <Menu.Item component={Link} to="/data/deleted" leftSection={<IconHistory {...ICON_PROPS} />}>
          {m.data.deletion.list.title}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          disabled={!hasRecords}
          c="var(--stop)"
          leftSection={<IconTrash {...ICON_PROPS} />}
          onClick={deletionDialog.open}
        >
          {texts.deleteAll}
        </Menu.Item>
        <Menu.Item
          component={Link}
          to={erasePath('namespace', namespace)}
          c="var(--stop)"
          leftSection={<IconEraser {...ICON_PROPS} />}
        >
          {m.erasure.link.namespace(namespace)}
        </Menu.Item>
      </OverflowMenu>
      {hasRecords && <EditNames endpoint={endpoint} opened={isEditingNames} close={namesDialog.close} />}
      {summary !== undefined && <DeleteEndpoint summary={summary} opened={isDeleting} close={deletionDialog.close} />}
    </>
  );
}
