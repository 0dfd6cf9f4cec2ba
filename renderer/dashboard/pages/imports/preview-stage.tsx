import { Autocomplete, Box, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import type { ColumnChoice, ImportFormat, ImportJob, ImportPreview } from '../../../shared/api/contract.ts';
import { endpoints, importPreview, type PreviewChoices } from '../../api/queries.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Section } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton, SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { isEndpoint, suggestEndpoint } from '../data/endpoints/endpoint-name.ts';
import { m } from '../../../shared/messages/texts.ts';
import { BankPreview } from './bank-preview.tsx';
import { ListChoice } from './list-choice.tsx';
import { RecognisedPreview } from './recognised-preview.tsx';
import { MAX_SHOWN_ROWS, RecordsTable } from './records-table.tsx';
import classes from './preview-stage.module.css';

const texts = m.imports.preview;
const FORMAT_NAMES: Readonly<Record<ImportPreview['format'], string>> = {
  json: 'JSON',
  geojson: 'GeoJSON',
  topojson: 'TopoJSON',
  ndjson: 'NDJSON',
  csv: 'CSV',
  bank: 'CSV',
  known: '',
  unknown: '',
};
const FORMATS = ['json', 'geojson', 'topojson', 'ndjson', 'csv'] as const;

interface PreviewProps {
  job: ImportJob;
  update: (job: ImportJob) => void;
  discard: () => void;
}

function toFormat(text: string): ImportFormat | undefined {
  return FORMATS.find((format) => format === text);
}

/** Shows the preview for the detected or chosen format. Nothing is stored before the import starts. */
export function PreviewStage({ job, update, discard }: PreviewProps) {
  const [choices, setChoices] = useState<PreviewChoices>({});
  const preview = useQuery(importPreview(job.importId, choices));
  if (preview.isPending)
    return (
      <>
        <Text c="dimmed" mb="sm" role="status">
          {m.imports.contents.scanning}
        </Text>
        <LoadingSkeleton rows={8} />
      </>
    );
  // A preview of an upload never changes, so it stays visible if a refetch fails.
  if (preview.data === undefined) return <LoadError error={preview.error} retry={() => void preview.refetch()} />;
  const { format, found, bank } = preview.data;
  if (format === 'known' && found !== null)
    return <RecognisedPreview job={job} contents={found} update={update} discard={discard} />;
  if (format === 'bank' && bank !== null)
    return (
      <BankPreview
        job={job}
        bank={bank}
        importAsTable={() => setChoices({ format: 'csv' })}
        update={update}
        discard={discard}
      />
    );
  return (
    <ElementsPreview
      job={job}
      preview={preview.data}
      isStale={preview.isPlaceholderData}
      choices={choices}
      choose={setChoices}
      update={update}
      discard={discard}
    />
  );
}

interface ElementsPreviewProps extends PreviewProps {
  preview: ImportPreview;
  isStale: boolean;
  choices: PreviewChoices;
  choose: (choices: PreviewChoices) => void;
}

function ElementsPreview({ job, preview, isStale, choices, choose, update, discard }: ElementsPreviewProps) {
  const summaries = useQuery(endpoints).data ?? [];
  const [endpoint, setEndpoint] = useState(() => suggestEndpoint(job.fileName));
  const [isEndpointInvalid, setIsEndpointInvalid] = useState(false);
  const { busy, problem, run } = useSubmit();

  const chosenFormat = toFormat(choices.format ?? '');
  const format = chosenFormat ?? toFormat(preview.format);
  const types = 'columnTypes' in choices ? (choices.columnTypes ?? {}) : {};
  const list = ('list' in choices ? choices.list : undefined) ?? preview.lists?.chosen ?? [];
  const listFormat =
    format === 'json' || (format === 'topojson' && preview.lists?.kind === 'topojson') ? format : undefined;
  const listOption = listFormat !== undefined && list.length > 0 ? { list } : {};
  const typesOption = Object.keys(types).length > 0 ? { columnTypes: types } : {};
  const existing = summaries.find((summary) => summary.endpoint === endpoint);

  const changeType = (column: string, type: ColumnChoice | undefined) => {
    if (format === undefined) return;
    const { [column]: previous, ...others } = types;
    void previous;
    const columnTypes = type === undefined ? others : { ...others, [column]: type };
    choose({ format, ...(listFormat === undefined ? {} : { list }), columnTypes });
  };

  const startImport = (event: FormEvent) => {
    event.preventDefault();
    if (format === undefined) return;
    if (!isEndpoint(endpoint)) {
      setIsEndpointInvalid(true);
      return;
    }
    void run(async () =>
      update(
        await call('POST /api/v2.6/owner/imports/:importId/run', {
          params: { importId: job.importId },
          body: { endpoint, format, ...listOption, ...typesOption },
        }),
      ),
    );
  };

  return (
    <form onSubmit={startImport} noValidate>
      <div className={classes.form}>
        <Autocomplete
          label={texts.endpoint}
          description={m.data.addRecord.endpointHint}
          value={endpoint}
          error={isEndpointInvalid ? m.data.addRecord.endpointInvalid : undefined}
          data={summaries.map((summary) => summary.endpoint)}
          limit={8}
          openOnFocus={false}
          spellCheck={false}
          autoCapitalize="none"
          onChange={(value) => {
            setEndpoint(value);
            setIsEndpointInvalid(false);
          }}
        />
        <NativeSelect
          label={texts.format}
          description={
            chosenFormat !== undefined
              ? undefined
              : preview.format === 'unknown'
                ? texts.unknown
                : texts.recognised(FORMAT_NAMES[preview.format], preview.reason)
          }
          value={format ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget;
            choose(value === 'bank' ? { format: 'bank' } : { format: toFormat(value) });
          }}
          data={[
            ...(format === undefined ? [{ value: '', label: texts.unknownText }] : []),
            ...FORMATS.map((value) => ({ value, label: texts.formats[value] })),
            { value: 'bank', label: texts.formats.bank },
          ]}
        />
        {listFormat !== undefined && preview.lists !== null && (
          <ListChoice
            recordLists={preview.lists}
            format={listFormat}
            path={list}
            change={(path) => choose({ format: listFormat, list: path })}
          />
        )}
      </div>
      {existing !== undefined && (
        <Text c="dimmed" mt="sm">
          {texts.endpointExists(existing.records)}
        </Text>
      )}
      {preview.error !== null && (
        <Box maw="42rem" mt="lg">
          <Callout tone="attention" title={texts.brokenTitle} urgent>
            {texts.broken(preview.error.line, preview.error.problem)} {preview.elements.length > 0 && texts.brokenText}
          </Callout>
        </Box>
      )}
      <SubmitError problem={problem} />
      <Group gap="sm" mt="lg" mb="xl">
        <Button type="submit" loading={busy} disabled={format === undefined}>
          {texts.run}
        </Button>
        <Button variant="default" onClick={discard}>
          {texts.discard}
        </Button>
      </Group>
      {preview.elements.length > 0 && (
        <Section
          title={texts.title}
          aside={
            <Text c="dimmed">
              {preview.rows !== null && texts.rows(preview.rows.count, preview.rows.exact)}
              {preview.columns.length > 0 && ` \u00B7 ${texts.columns(preview.columns.length)}`}
            </Text>
          }
        >
          <div className={classes.preview} data-stale={isStale || undefined} aria-busy={isStale}>
            <RecordsTable preview={preview} types={types} change={changeType} />
          </div>
          {preview.rows !== null && preview.rows.count > MAX_SHOWN_ROWS && (
            <Text c="dimmed" mt="sm">
              {texts.firstOnly}
            </Text>
          )}
        </Section>
      )}
    </form>
  );
}
