import { Button, Group, NativeSelect, NumberInput, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import type { BankOptions, BankRole, ImportJob, ImportPreview } from '../../../shared/api/contract.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Section } from '../../components/page.tsx';
import { LoadError, SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { KindCounts } from './kind-counts.tsx';
import classes from './kind-counts.module.css';

const texts = m.imports.bank;
const DEBOUNCE_MS = 300;

interface BankPreviewProps {
  job: ImportJob;
  bank: NonNullable<ImportPreview['bank']>;
  importAsTable: () => void;
  update: (job: ImportJob) => void;
  discard: () => void;
}

const toChoices = <T extends string>(labels: Readonly<Record<T, string>>): { value: T; label: string }[] =>
  (Object.keys(labels) as T[]).map((value) => ({ value, label: labels[value] }));

export function BankPreview({ job, bank, importAsTable, update, discard }: BankPreviewProps) {
  const [options, setOptions] = useState<BankOptions>(bank.options);
  const [debouncedOptions] = useDebouncedValue(options, DEBOUNCE_MS);
  const { busy, problem, run } = useSubmit();
  const { importId } = job;
  const preview = useQuery({
    queryKey: ['import-preview', importId, 'bank', debouncedOptions],
    queryFn: ({ signal }) =>
      call(
        'POST /api/v2.6/owner/imports/:importId/preview',
        { params: { importId }, body: { bank: debouncedOptions } },
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const headings = preview.data?.bank?.headings ?? bank.headings;
  const roles = headings.map((_, index): BankRole => options.roles[index] ?? 'other');
  const change = (patch: Partial<BankOptions>) => setOptions({ ...options, ...patch });
  const contents = preview.data?.found;
  const isReadable = contents !== undefined && contents !== null && contents.kinds.length > 0;
  const startImport = () =>
    void run(async () =>
      update(
        await call('POST /api/v2.6/owner/imports/:importId/run', {
          params: { importId },
          body: { format: 'bank', bank: { ...options, roles } },
        }),
      ),
    );
  return (
    <>
      {isReadable && <KindCounts contents={contents} excluded={undefined} change={() => undefined} />}
      {contents !== undefined && !isReadable && <Callout tone="attention" title={texts.none} />}
      {preview.isError && <LoadError error={preview.error} retry={() => void preview.refetch()} />}
      <SubmitError problem={problem} />
      <Group gap="sm" mt="lg" mb="xl">
        <Button
          onClick={startImport}
          loading={busy}
          disabled={!isReadable || debouncedOptions !== options || preview.isFetching}
        >
          {m.imports.preview.run}
        </Button>
        <Button variant="default" onClick={importAsTable}>
          {texts.asTable}
        </Button>
        <Button variant="default" onClick={discard}>
          {m.imports.preview.discard}
        </Button>
      </Group>
      <Section title={texts.title}>
        <Text c="dimmed">{texts.text}</Text>
        <div className={classes.bankOptions}>
          <NumberInput
            label={texts.headerLine}
            min={1}
            max={1000}
            value={options.headerLine}
            onChange={(value) => typeof value === 'number' && value >= 1 && change({ headerLine: Math.floor(value) })}
          />
          <NativeSelect
            label={texts.separator}
            value={options.separator}
            data={toChoices(texts.separators)}
            onChange={(event) => change({ separator: event.currentTarget.value as BankOptions['separator'] })}
          />
          <NativeSelect
            label={texts.decimal}
            value={options.decimal}
            data={toChoices(texts.decimals)}
            onChange={(event) => change({ decimal: event.currentTarget.value as BankOptions['decimal'] })}
          />
          <NativeSelect
            label={texts.dateOrder}
            value={options.dateOrder}
            data={toChoices(texts.dateOrders)}
            onChange={(event) => change({ dateOrder: event.currentTarget.value as BankOptions['dateOrder'] })}
          />
          <NativeSelect
            label={texts.encoding}
            value={options.encoding}
            data={toChoices(texts.encodings)}
            onChange={(event) => change({ encoding: event.currentTarget.value as BankOptions['encoding'] })}
          />
        </div>
        <table className={classes.roles}>
          <thead>
            <tr>
              <th scope="col">{texts.column}</th>
              <th scope="col">{texts.role}</th>
            </tr>
          </thead>
          <tbody>
            {headings.map((heading, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- columns have no other key: headings may repeat
              <tr key={index} data-skipped={roles[index] === 'skip' || undefined}>
                <th scope="row">{heading}</th>
                <td>
                  <NativeSelect
                    size="xs"
                    aria-label={texts.roleLabel(heading)}
                    value={roles[index] ?? 'other'}
                    data={toChoices(texts.roles)}
                    onChange={(event) => change({ roles: roles.with(index, event.currentTarget.value as BankRole) })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
    </>
  );
}
