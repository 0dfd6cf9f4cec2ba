import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ExportFormat } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import type { Column } from '../records/columns.ts';
import { exportedColumns } from './export-columns.ts';
import { type ExportedRecords, exportRecords } from './export-records.ts';

const texts = m.recordTable.exports;
const FORMATS: readonly ExportFormat[] = ['csv', 'ndjson', 'json'];

interface ExportMenuProps {
  records: ExportedRecords;
  /** Undefined if the records are not shown as a table. */
  columns: readonly Column[] | undefined;
  count: number;
  label: string;
  size?: 'xs' | 'sm';
  disabledReason?: string | undefined;
}

export function ExportMenu({ records, columns, count, label, size = 'sm', disabledReason }: ExportMenuProps) {
  return (
    <Menu>
      <Menu.Target>
        <Button
          size={size}
          variant="default"
          disabled={disabledReason !== undefined}
          title={disabledReason}
          leftSection={<IconDownload size={16} stroke={1.6} />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {columns !== undefined && (
          <>
            <Menu.Label>{texts.shownColumns}</Menu.Label>
            {FORMATS.map((format) => (
              <Menu.Item
                key={format}
                aria-label={texts.ofShownColumns(texts[format])}
                onClick={() => void exportRecords(records, format, texts.text(count), exportedColumns(columns))}
              >
                {texts[format]}
              </Menu.Item>
            ))}
            <Menu.Divider />
          </>
        )}
        {columns !== undefined && <Menu.Label>{texts.allFields}</Menu.Label>}
        {FORMATS.map((format) => (
          <Menu.Item
            key={format}
            aria-label={columns === undefined ? undefined : texts.ofAllFields(texts[format])}
            onClick={() => void exportRecords(records, format, texts.text(count))}
          >
            {texts[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
