import { Anchor, Button, Group } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { BrowsedRecord } from '../../api/contract.ts';
import { useFunctionName } from '../../api/functions.ts';
import { record as recordQuery } from '../../api/queries.ts';
import { type Fact, Facts } from '../../components/consent/facts.tsx';
import { Copied } from '../../components/copied.tsx';
import { deleteRecords } from '../../components/deleting.tsx';
import { type ContentProps, type DrawerProps, ItemDrawer } from '../../components/item-drawer.tsx';
import { JsonText, prettyJson } from '../../components/json-text.tsx';
import { CopyIcon, Loading, Missing } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { bytes } from '../../format.ts';
import { m } from '../../messages/texts.ts';
import { functionPath, runPath } from '../../navigation.ts';
import { EditRecord } from './edit-record.tsx';
import classes from './record-drawer.module.css';
import { WhoSaw } from './who-saw.tsx';

const words = m.data.record;

/** One record: what it holds, where it came from, and what can be done with it. Open while the address names it. */
export function RecordDrawer(props: DrawerProps<BrowsedRecord>) {
  return (
    <ItemDrawer
      {...props}
      idOf={({ recordId }) => recordId}
      words={words}
      editTitle={m.data.editor.editTitle}
      content={Content}
    />
  );
}

function Content({ id, known, isEditing, edit, done, close }: ContentProps<BrowsedRecord>) {
  const found = useQuery({ ...recordQuery(id), ...(known === undefined ? {} : { placeholderData: known }) });
  if (found.isPending) return <Loading rows={8} />;
  if (found.isError) return <Missing error={found.error} retry={() => void found.refetch()} words={words} />;
  const record = found.data;
  if (isEditing && !found.isPlaceholderData) return <EditRecord record={record} done={done} />;
  const remove = async () => {
    close();
    await deleteRecords(record.endpoint, [record.recordId]);
  };
  return (
    <>
      <Group gap="sm" mb="lg">
        <Button variant="default" size="xs" leftSection={<IconPencil size={15} stroke={1.6} />} onClick={edit}>
          {words.edit}
        </Button>
        <Button
          variant="default"
          size="xs"
          c="var(--stop)"
          leftSection={<IconTrash size={15} stroke={1.6} />}
          onClick={() => void remove()}
        >
          {words.delete}
        </Button>
      </Group>
      <div className={classes.data}>
        <div className={classes.copy}>
          <CopyIcon value={prettyJson(record.data)} label={words.copyJson} />
        </div>
        <JsonText value={record.data} />
      </div>
      <Facts facts={factsOf(record)} />
      <WhoSaw recordId={record.recordId} />
    </>
  );
}

function CameFrom({ origin: { kind, name, run } }: Pick<BrowsedRecord, 'origin'>) {
  if (kind === 'function') return <MadeBy id={name} run={run} />;
  return kind === 'owner' ? words.origin.owner : words.origin[kind](name);
}

/** What a function made leads to the run that made it. */
function MadeBy({ id, run }: { id: string; run: string | undefined }) {
  const functionName = useFunctionName();
  return (
    <>
      <Anchor component={Link} to={functionPath(id)} size="sm" underline="always">
        {words.origin.function(functionName(id))}
      </Anchor>
      {run !== undefined && (
        <>
          {', '}
          <Anchor component={Link} to={runPath(id, run)} size="sm" underline="always">
            {words.origin.run}
          </Anchor>
        </>
      )}
    </>
  );
}

function factsOf(record: BrowsedRecord): Fact[] {
  const changed = record.lastUpdated !== record.dateCreated;
  return [
    { term: words.cameFrom, value: <CameFrom origin={record.origin} /> },
    { term: words.created, value: <When at={record.dateCreated} /> },
    { term: words.updated, value: changed ? <When at={record.lastUpdated} /> : words.notUpdated },
    { term: words.size, value: bytes(record.bytes) },
    { term: words.endpoint, value: <code className={classes.code}>{record.endpoint}</code> },
    { term: words.id, value: <Copied value={record.recordId} label={words.copyId} /> },
  ];
}
