import { Button, Group, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BrowsedRecord } from '../../api/contract.ts';
import { asProblem } from '../../api/problem.ts';
import { record as recordQuery } from '../../api/queries.ts';
import { type Fact, Facts } from '../../components/consent/facts.tsx';
import { deleteRecords } from '../../components/deleting.tsx';
import { JsonText, prettyJson } from '../../components/json-text.tsx';
import { SideDrawer, stepTo } from '../../components/side-drawer.tsx';
import { CopyIcon, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { bytes } from '../../format.ts';
import { m } from '../../messages/en.ts';
import { EditRecord } from './edit-record.tsx';
import classes from './record-drawer.module.css';
import { WhoSaw } from './who-saw.tsx';

const words = m.data.record;

interface RecordDrawerProps {
  id: string | null;
  known: BrowsedRecord | undefined;
  before: BrowsedRecord | undefined;
  after: BrowsedRecord | undefined;
  open: (recordId: string) => void;
  close: () => void;
}

/** One record: what it holds, where it came from, and what can be done with it. Open while the address names it. */
export function RecordDrawer({ id, known, before, after, open, close }: RecordDrawerProps) {
  const [editing, setEditing] = useState<string | null>(null);
  const isEditing = editing !== null && editing === id;
  const leave = () => {
    setEditing(null);
    close();
  };
  return (
    <SideDrawer
      opened={id !== null}
      close={leave}
      title={isEditing ? m.data.editor.editTitle : words.title}
      locked={isEditing}
      steps={
        isEditing
          ? undefined
          : {
              previous: stepTo(words.previous, before, (record) => open(record.recordId)),
              next: stepTo(words.next, after, (record) => open(record.recordId)),
            }
      }
    >
      {id !== null && (
        <Content
          key={id}
          id={id}
          known={known}
          isEditing={isEditing}
          edit={() => setEditing(id)}
          done={() => setEditing(null)}
          close={leave}
        />
      )}
    </SideDrawer>
  );
}

interface ContentProps {
  id: string;
  known: BrowsedRecord | undefined;
  isEditing: boolean;
  edit: () => void;
  done: () => void;
  close: () => void;
}

function Content({ id, known, isEditing, edit, done, close }: ContentProps) {
  const found = useQuery({ ...recordQuery(id), ...(known === undefined ? {} : { placeholderData: known }) });
  if (found.isPending) return <Loading rows={8} />;
  if (found.isError) {
    return asProblem(found.error).status === 404 ? (
      <div>
        <Text fw={500}>{words.gone}</Text>
        <Text size="sm" c="dimmed">
          {words.goneText}
        </Text>
      </div>
    ) : (
      <Failed error={found.error} retry={() => void found.refetch()} />
    );
  }
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

export function originText({ kind, name }: BrowsedRecord['origin']): string {
  return kind === 'owner' ? words.origin.owner : words.origin[kind](name);
}

function factsOf(record: BrowsedRecord): Fact[] {
  const changed = record.lastUpdated !== record.dateCreated;
  return [
    { term: words.cameFrom, value: originText(record.origin) },
    { term: words.created, value: <When at={record.dateCreated} /> },
    { term: words.updated, value: changed ? <When at={record.lastUpdated} /> : words.notUpdated },
    { term: words.size, value: bytes(record.bytes) },
    { term: words.endpoint, value: <code className={classes.code}>{record.endpoint}</code> },
    {
      term: words.id,
      value: (
        <span className={classes.id}>
          <code className={classes.code}>{record.recordId}</code>
          <CopyIcon value={record.recordId} label={words.copyId} />
        </span>
      ),
    },
  ];
}
