import { Button, Group, Tabs, Text } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';
import { useFunctionName } from '../../../api/functions/queries.ts';
import { endpointFields, imports, record as recordQuery } from '../../../api/queries.ts';
import { useApplicationName } from '../../../api/sharing/access.ts';
import { type Fact, FactList } from '../../../../shared/components/fact-list.tsx';
import { CopyableValue } from '../../../../shared/components/copyable-value.tsx';
import { deleteRecords } from '../../../components/deletion.tsx';
import { type ItemContentProps, type ItemDrawerState, ItemDrawer } from '../../../../shared/overlay/item-drawer.tsx';
import { CopyableJson, JsonText, formatJson } from '../../../../shared/components/json-text.tsx';
import { LoadingSkeleton, ItemLoadError } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { applicationPath, functionPath, importPath, runPath } from '../../../navigation.ts';
import { ChosenEndpointIcon } from '../endpoints/endpoint-icon.tsx';
import { EditRecord } from './edit-record.tsx';
import { RecordAccessList } from './access-list.tsx';
import { RecordForm } from './record-form.tsx';
import { RecordVersions } from './versions/record-versions.tsx';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.data.record;

export function RecordDrawer(props: ItemDrawerState<BrowsedRecord>) {
  return (
    <ItemDrawer
      {...props}
      idOf={({ recordId }) => recordId}
      texts={texts}
      editTitle={m.data.editor.editTitle}
      content={Content}
    />
  );
}

function Content({ id, item, isEditing, edit, stopEditing, close }: ItemContentProps<BrowsedRecord>) {
  const query = useQuery({ ...recordQuery(id), ...(item === undefined ? {} : { placeholderData: item }) });
  if (query.isPending) return <LoadingSkeleton rows={8} />;
  // The edited text stays even if the record was deleted or cannot be loaded again.
  if (isEditing && query.data !== undefined && !query.isPlaceholderData)
    return <EditRecord record={query.data} done={stopEditing} />;
  if (query.isError) return <ItemLoadError error={query.error} retry={() => void query.refetch()} texts={texts} />;
  const record = query.data;
  const remove = async () => {
    close();
    await deleteRecords(record.endpoint, [record.recordId]);
  };
  return (
    <>
      <Group gap="sm" mb="lg">
        <Button variant="default" size="xs" leftSection={<IconPencil size={15} stroke={1.6} />} onClick={edit}>
          {m.shell.edit}
        </Button>
        <Button
          variant="default"
          size="xs"
          c="var(--stop)"
          leftSection={<IconTrash size={15} stroke={1.6} />}
          onClick={() => void remove()}
        >
          {m.shell.delete}
        </Button>
      </Group>
      <RecordData record={record} />
      <FactList facts={factsOf(record)} />
      <RecordVersions record={record} />
      <RecordAccessList recordId={record.recordId} />
    </>
  );
}

function RecordData({ record }: { record: BrowsedRecord }) {
  const fields = useQuery(endpointFields(record.endpoint));
  const [view, setView] = useSessionStorage({
    key: 'pda-record-view',
    defaultValue: 'fields',
    getInitialValueInEffect: false,
  });
  return (
    <Tabs
      value={view === 'json' ? 'json' : 'fields'}
      onChange={(next) => setView(next ?? 'fields')}
      keepMounted={false}
      mb="lg"
    >
      <Tabs.List mb="sm">
        <Tabs.Tab value="fields">{texts.fields}</Tabs.Tab>
        <Tabs.Tab value="json">{m.data.endpoint.json}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="fields">
        {fields.isPending ? (
          <LoadingSkeleton rows={4} />
        ) : (
          <RecordForm data={record.data} fields={fields.data?.fields ?? []} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="json">
        <CopyableJson text={formatJson(record.data)} copyLabel={texts.copyJson}>
          <JsonText value={record.data} />
        </CopyableJson>
      </Tabs.Panel>
    </Tabs>
  );
}

function RecordOrigin({ origin }: Pick<BrowsedRecord, 'origin'>) {
  const { kind, name, run } = origin;
  switch (kind) {
    case 'owner':
      return texts.origin.owner;
    case 'application':
      return <ApplicationOrigin id={name} />;
    case 'import':
      return <ImportOrigin fileName={name} importId={origin.import} />;
    case 'function':
      return <FunctionOrigin id={name} run={run} />;
    case 'contract':
      return texts.origin.contract(name);
  }
}

function ApplicationOrigin({ id }: { id: string }) {
  const applicationName = useApplicationName();
  return (
    <TextLink to={applicationPath(id)} underline="always">
      {texts.origin.application(applicationName(id))}
    </TextLink>
  );
}

/** Shows the file name without a link if the import is not in the list. */
function ImportOrigin({ fileName, importId }: { fileName: string; importId: string | undefined }) {
  const jobs = useQuery(imports).data;
  if (importId === undefined || jobs?.some((job) => job.importId === importId) !== true)
    return texts.origin.import(fileName);
  return (
    <TextLink to={importPath(importId)} underline="always">
      {texts.origin.import(fileName)}
    </TextLink>
  );
}

function FunctionOrigin({ id, run }: { id: string; run: string | undefined }) {
  const functionName = useFunctionName();
  return (
    <>
      <TextLink to={functionPath(id)} underline="always">
        {texts.origin.function(functionName(id))}
      </TextLink>
      {run !== undefined && (
        <>
          {', '}
          <TextLink to={runPath(id, run)} underline="always">
            {texts.origin.run}
          </TextLink>
        </>
      )}
    </>
  );
}

function factsOf(record: BrowsedRecord): Fact[] {
  const isChanged = record.lastUpdated !== record.dateCreated;
  return [
    { term: texts.cameFrom, value: <RecordOrigin origin={record.origin} /> },
    { term: m.data.endpoint.created, value: <RelativeTime at={record.dateCreated} /> },
    { term: texts.updated, value: isChanged ? <RelativeTime at={record.lastUpdated} /> : texts.notUpdated },
    { term: m.data.list.size, value: bytes(record.bytes) },
    {
      term: m.data.list.endpoint,
      value: (
        <>
          <ChosenEndpointIcon endpoint={record.endpoint} />{' '}
          <Text component="code" fz="xs">
            {record.endpoint}
          </Text>
        </>
      ),
    },
    { term: texts.id, value: <CopyableValue value={record.recordId} label={texts.copyId} /> },
  ];
}
