import { ActionIcon, Button, Drawer, Group, Text, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BrowsedRecord } from '../../api/contract.ts';
import { asProblem } from '../../api/problem.ts';
import { record as recordQuery } from '../../api/queries.ts';
import { deleteRecords } from '../../components/deleting.tsx';
import { JsonText, prettyJson } from '../../components/json-text.tsx';
import { CopyIcon, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { bytes } from '../../format.ts';
import { m } from '../../messages/en.ts';
import { EditRecord } from './edit-record.tsx';
import classes from './record-drawer.module.css';

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
    <Drawer.Root
      opened={id !== null}
      onClose={leave}
      position="right"
      size="36rem"
      transitionProps={{ duration: 120 }}
      closeOnEscape={!isEditing}
      closeOnClickOutside={!isEditing}
      classNames={{ content: classes.content ?? '' }}
    >
      <Drawer.Overlay backgroundOpacity={0.18} />
      <Drawer.Content aria-label={isEditing ? m.data.editor.editTitle : words.title}>
        <Drawer.Header className={classes.header ?? ''}>
          <Drawer.Title className={classes.title ?? ''}>
            {isEditing ? m.data.editor.editTitle : words.title}
          </Drawer.Title>
          {!isEditing && (
            <Group gap={4} ml="auto">
              <Step label={words.previous} to={before} open={open} icon={<IconChevronUp size={18} stroke={1.6} />} />
              <Step label={words.next} to={after} open={open} icon={<IconChevronDown size={18} stroke={1.6} />} />
            </Group>
          )}
          <Drawer.CloseButton aria-label={words.close} ml={isEditing ? 'auto' : 'xs'} />
        </Drawer.Header>
        <Drawer.Body className={classes.body ?? ''}>
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
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

interface StepProps {
  label: string;
  to: BrowsedRecord | undefined;
  open: (recordId: string) => void;
  icon: React.ReactNode;
}

function Step({ label, to, open, icon }: StepProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--ink-soft)"
        size={32}
        aria-label={label}
        disabled={to === undefined}
        onClick={() => to !== undefined && open(to.recordId)}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
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
      <Facts record={record} />
    </>
  );
}

export function originText({ kind, name }: BrowsedRecord['origin']): string {
  return kind === 'owner' ? words.origin.owner : words.origin[kind](name);
}

function Facts({ record }: { record: BrowsedRecord }) {
  const changed = record.lastUpdated !== record.dateCreated;
  return (
    <dl className={classes.facts}>
      <dt>{words.cameFrom}</dt>
      <dd>{originText(record.origin)}</dd>
      <dt>{words.created}</dt>
      <dd>
        <When at={record.dateCreated} />
      </dd>
      <dt>{words.updated}</dt>
      <dd>{changed ? <When at={record.lastUpdated} /> : words.notUpdated}</dd>
      <dt>{words.size}</dt>
      <dd>{bytes(record.bytes)}</dd>
      <dt>{words.endpoint}</dt>
      <dd className={classes.code}>{record.endpoint}</dd>
      <dt>{words.id}</dt>
      <dd className={classes.id}>
        <span className={classes.code}>{record.recordId}</span>
        <CopyIcon value={record.recordId} label={words.copyId} />
      </dd>
    </dl>
  );
}
