import { Autocomplete, Button, Group, NativeSelect, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import type { ColumnType, ImportFormat, ImportJob, ImportPreview } from '../../../shared/api/contract.ts';
import { endpoints, importPreview } from '../../api/queries.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { JsonText } from '../../../shared/components/json-text.tsx';
import { Section } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton, SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { isEndpoint, suggestEndpoint } from '../data/endpoints/endpoint-name.ts';
import { m } from '../../../shared/messages/texts.ts';
import { BankPreview } from './bank-preview.tsx';
import { RecognisedPreview } from './recognised-preview.tsx';
import classes from './table-preview.module.css';

const words = m.imports.preview;
const FORMATS = ['json', 'ndjson', 'csv'] as const;
type PreviewFormat = ImportFormat | 'bank' | 'known';
const TYPES = ['text', 'number', 'boolean', 'skip'] as const;
const SAMPLE_ELEMENTS = 5;

interface PreviewProps {
  job: ImportJob;
  update: (job: ImportJob) => void;
  discard: () => void;
}

function toFormat(text: string): ImportFormat | undefined {
  return FORMATS.find((format) => format === text);
}

/** Maps a detected type to a selectable type: integers become numbers, empty columns become text. */
function toColumnType(text: string): ColumnType {
  if (text === 'integer') return 'number';
  return TYPES.find((type) => type === text) ?? 'text';
}

/** Preview of the uploaded files as records. Nothing is stored before the import starts. */
export function TablePreview({ job, update, discard }: PreviewProps) {
  const [selectedFormat, setSelectedFormat] = useState<PreviewFormat>();
  const preview = useQuery(importPreview(job.importId, selectedFormat));
  if (preview.isPending)
    return (
      <>
        <Text size="sm" c="dimmed" mb="sm" role="status">
          {m.imports.contents.scanning}
        </Text>
        <LoadingSkeleton rows={8} />
      </>
    );
  if (preview.isError) return <LoadError error={preview.error} retry={() => void preview.refetch()} />;
  const { format, found, bank } = preview.data;
  if (format === 'known' && found !== null)
    return <RecognisedPreview job={job} contents={found} update={update} discard={discard} />;
  if (format === 'bank' && bank !== null)
    return (
      <BankPreview job={job} bank={bank} asTable={() => setSelectedFormat('csv')} update={update} discard={discard} />
    );
  return (
    <ElementsPreview
      job={job}
      preview={preview.data}
      selectedFormat={selectedFormat}
      choose={setSelectedFormat}
      update={update}
      discard={discard}
    />
  );
}

interface ElementsPreviewProps extends PreviewProps {
  preview: ImportPreview;
  selectedFormat: PreviewFormat | undefined;
  choose: (format: PreviewFormat | undefined) => void;
}

/** Preview of a list or table whose elements become records of one endpoint. */
function ElementsPreview({ job, preview, selectedFormat, choose, update, discard }: ElementsPreviewProps) {
  const chosenFormat = toFormat(selectedFormat ?? '');
  const summaries = useQuery(endpoints).data ?? [];
  const [endpoint, setEndpoint] = useState(() => suggestEndpoint(job.fileName));
  const [types, setTypes] = useState<Readonly<Record<string, ColumnType>>>({});
  const [isEndpointInvalid, setIsEndpointInvalid] = useState(false);
  const { busy, problem, run } = useSubmit();

  const format = chosenFormat ?? toFormat(preview.format);
  const existing = summaries.find((summary) => summary.endpoint === endpoint);

  const startImport = (event: FormEvent) => {
    event.preventDefault();
    if (format === undefined) return;
    if (!isEndpoint(endpoint)) {
      setIsEndpointInvalid(true);
      return;
    }
    const columnTypes = format === 'csv' && Object.keys(types).length > 0 ? { columnTypes: types } : {};
    void run(async () =>
      update(
        await call('POST /api/v2.6/owner/imports/:importId/run', {
          params: { importId: job.importId },
          body: { endpoint, format, ...columnTypes },
        }),
      ),
    );
  };

  return (
    <form onSubmit={startImport} noValidate>
      <div className={classes.form}>
        <Autocomplete
          label={words.endpoint}
          description={words.endpointHint}
          value={endpoint}
          error={isEndpointInvalid ? words.endpointInvalid : undefined}
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
          label={words.format}
          description={
            preview.format === 'unknown'
              ? words.unknown
              : words.recognised(preview.format.toUpperCase(), chosenFormat === undefined ? preview.reason : '')
          }
          value={format ?? ''}
          onChange={(event) =>
            choose(event.currentTarget.value === 'bank' ? 'bank' : toFormat(event.currentTarget.value))
          }
          data={[
            ...(format === undefined ? [{ value: '', label: words.unknownText }] : []),
            ...FORMATS.map((value) => ({ value, label: words.formats[value] })),
            { value: 'bank', label: words.formats.bank },
          ]}
        />
      </div>
      {existing !== undefined && (
        <Text size="sm" c="dimmed" mt="sm">
          {words.endpointExists(existing.records)}
        </Text>
      )}
      {preview.error !== null && (
        <div className={classes.broken}>
          <Callout tone="attention" title={words.brokenTitle} urgent>
            {words.broken(preview.error.line, preview.error.problem)} {words.brokenText}
          </Callout>
        </div>
      )}
      <SubmitError problem={problem} />
      <Group gap="sm" mt="lg" mb="xl">
        <Button type="submit" loading={busy} disabled={format === undefined}>
          {words.run}
        </Button>
        <Button variant="default" onClick={discard}>
          {words.discard}
        </Button>
      </Group>
      {preview.columns.length > 0 && (
        <Section
          title={words.title}
          aside={
            <Text size="sm" c="dimmed">
              {words.columns(preview.columns.length)}
            </Text>
          }
        >
          <Columns
            preview={preview}
            types={types}
            change={format === 'csv' ? (name, type) => setTypes({ ...types, [name]: type }) : undefined}
          />
        </Section>
      )}
      {preview.elements.length > 0 && (
        <section className={classes.sample}>
          <Title order={2} mb="sm">
            {words.sample}
          </Title>
          {preview.elements.slice(0, SAMPLE_ELEMENTS).map((element, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the sample never changes its order
            <div key={index} className={classes.element}>
              <JsonText value={element} />
            </div>
          ))}
        </section>
      )}
    </form>
  );
}

interface ColumnsProps {
  preview: ImportPreview;
  types: Readonly<Record<string, ColumnType>>;
  /** Changes a column's type. Only CSV values are untyped. */
  change: ((column: string, type: ColumnType) => void) | undefined;
}

function Columns({ preview, types, change }: ColumnsProps) {
  return (
    <table className={classes.columns}>
      <thead>
        <tr>
          <th scope="col">{words.column}</th>
          <th scope="col">{words.type}</th>
          <th scope="col">{words.examples}</th>
        </tr>
      </thead>
      <tbody>
        {preview.columns.map((column) => (
          <tr key={column.name} data-skipped={types[column.name] === 'skip' || undefined}>
            <th scope="row">{column.name}</th>
            <td>
              {change === undefined ? (
                (words.guessed[column.type] ?? column.type)
              ) : (
                <NativeSelect
                  size="xs"
                  aria-label={words.typeLabel(column.name)}
                  value={types[column.name] ?? toColumnType(column.type)}
                  data={TYPES.map((value) => ({ value, label: words.types[value] }))}
                  onChange={(event) => change(column.name, toColumnType(event.currentTarget.value))}
                />
              )}
            </td>
            <td className={classes.examples}>{column.examples.slice(0, 3).join(' · ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
