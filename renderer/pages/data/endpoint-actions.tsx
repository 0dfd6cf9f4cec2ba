import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload, IconEraser, IconHistory, IconPlus, IconTrash } from '@tabler/icons-react';
import { Link } from 'react-router';
import { call } from '../../api/client.ts';
import type { EndpointSummary, ExportFormat } from '../../api/contract.ts';
import { MoreMenu } from '../../components/more-menu.tsx';
import { tell, tellProblem } from '../../components/notices.tsx';
import { put, useQueryInAddress } from '../../components/use-query-in-address.ts';
import { m } from '../../messages/texts.ts';
import { erasePath } from '../../navigation.ts';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import classes from './endpoint-actions.module.css';

const words = m.data.endpoint;
const ICON = { size: 16, stroke: 1.6 } as const;

async function download(endpoint: string, format: ExportFormat): Promise<void> {
  try {
    const { url } = await call('POST /api/v2.6/owner/exports', { body: { endpoint, format } });
    const link = document.createElement('a');
    link.href = url;
    link.download = '';
    link.click();
    tell(words.exportStarted, words.exportText(endpoint));
  } catch (error) {
    tellProblem(m.shell.problem.notDone, error);
  }
}

/** What can be done with a whole endpoint. */
export function EndpointActions({ endpoint, held }: { endpoint: string; held: EndpointSummary | undefined }) {
  const [, setQuery] = useQueryInAddress();
  const [deleting, dialog] = useDisclosure(false);
  const [namespace = ''] = endpoint.split('/');
  const has = held !== undefined && held.records > 0;
  const add = () => setQuery(put({ add: '1' }));
  return (
    <>
      <Button variant="default" onClick={add} aria-label={m.data.add}>
        <IconPlus {...ICON} />
        <span className={classes.addLabel}>{m.data.add}</span>
      </Button>
      <MoreMenu label={words.actions}>
        <Menu.Item
          disabled={!has}
          leftSection={<IconDownload {...ICON} />}
          onClick={() => void download(endpoint, 'ndjson')}
        >
          {words.exportNdjson}
        </Menu.Item>
        <Menu.Item
          disabled={!has}
          leftSection={<IconDownload {...ICON} />}
          onClick={() => void download(endpoint, 'csv')}
        >
          {words.exportCsv}
        </Menu.Item>
        <Menu.Item component={Link} to="/data/deleted" leftSection={<IconHistory {...ICON} />}>
          {m.data.recentlyDeleted}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item disabled={!has} c="var(--stop)" leftSection={<IconTrash {...ICON} />} onClick={dialog.open}>
          {words.deleteAll}
        </Menu.Item>
        <Menu.Item
          component={Link}
          to={erasePath('namespace', namespace)}
          c="var(--stop)"
          leftSection={<IconEraser {...ICON} />}
        >
          {m.erasure.link.namespace(namespace)}
        </Menu.Item>
      </MoreMenu>
      {held !== undefined && <DeleteEndpoint held={held} opened={deleting} close={dialog.close} />}
    </>
  );
}
