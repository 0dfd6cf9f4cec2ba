import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { call } from '../../../shared/api/client.ts';
import type { LedgerExportRequest } from '../../../shared/api/contract.ts';
import { startDownload } from '../../../shared/api/url.ts';
import { showToast, runWithToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import type { AccessLogFilter } from '../../api/sharing/access.ts';

const texts = m.history.exports;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

async function exportEntries(filter: AccessLogFilter, format: LedgerExportRequest['format']): Promise<void> {
  await runWithToast(async () => {
    const { url } = await call('POST /api/v2.6/owner/ledger-exports', { body: { filter, format } });
    startDownload(url);
    showToast(texts.started, texts.startedText);
  });
}

export function HistoryExportMenu({ selection }: { selection: AccessLogFilter }) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload {...ICON_PROPS} />}>
          {texts.button}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void exportEntries(selection, 'csv')}>{texts.csv}</Menu.Item>
        <Menu.Item onClick={() => void exportEntries(selection, 'json')}>{texts.json}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
