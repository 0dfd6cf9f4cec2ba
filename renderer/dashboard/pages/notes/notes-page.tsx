import { Box, Button, Code, Group, Menu } from '@mantine/core';
import { IconNote, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { BrowsedRecord } from '../../../shared/api/contract.ts';
import { ListEnd } from '../../../shared/components/list-end.tsx';
import { OverflowMenu } from '../../../shared/components/overflow-menu.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { EmptyState, ItemLoadError, LoadingSkeleton, NotFoundNote } from '../../../shared/feedback/states.tsx';
import { SearchField } from '../../../shared/form/search-field.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { useItemEdit } from '../../../shared/keyboard/list-items.ts';
import { m } from '../../../shared/messages/texts.ts';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { record as recordQuery, recordList } from '../../api/queries.ts';
import { deleteRecords } from '../../components/deletion.tsx';
import { Page } from '../../components/page.tsx';
import { recordPath } from '../../navigation.ts';
import { MarkdownText } from './markdown-text.tsx';
import { NoteForm } from './note-form.tsx';
import { NOTES_ENDPOINT, noteOf } from './note.ts';
import classes from './notes-page.module.css';
import lists from '../../../shared/components/lists.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.notes;
const NEW_NOTE_ID = 'new';

export function NotesPage() {
  const [query, setQuery] = useUrlQuery();
  const search = query.get('search') ?? '';
  const editedId = query.get('edit') ?? '';
  /** Id of the note in the dialog, or `NEW_NOTE_ID`. Stays set while the dialog closes. */
  const [shownId, setShownId] = useState(editedId);
  if (editedId !== '' && editedId !== shownId) setShownId(editedId);
  const change = (parameters: Readonly<Record<string, string>>, replace = false) =>
    setQuery(withParameters(parameters), { replace });
  const list = useInfiniteQuery({
    ...recordList({ endpoint: NOTES_ENDPOINT, search, filters: [], sorts: [], oldestFirst: false }),
    placeholderData: keepPreviousData,
  });
  const notes = list.data?.pages.flatMap(({ records }) => records) ?? [];
  const hasSearch = search !== '';
  // While other notes load, the search field stays, because the owner may be typing in it.
  const showsSearch = notes.length > 0 || hasSearch || list.isPlaceholderData;
  const tags = [...new Set(notes.flatMap(({ data }) => noteOf(data)?.tags ?? []))].toSorted();
  const close = () => change({ edit: '' }, true);
  const addButton = (
    <Button leftSection={<IconPlus size={16} stroke={1.6} />} onClick={() => change({ edit: NEW_NOTE_ID })}>
      {texts.add}
    </Button>
  );
  return (
    <Page
      title={texts.pageTitle}
      crumbs={[{ label: m.data.pageTitle, to: '/data' }]}
      actions={showsSearch ? addButton : undefined}
    >
      {showsSearch && (
        <Group gap="sm" mb="md">
          <SearchField
            className={classes.search}
            label={texts.search}
            value={search}
            busy={list.isPlaceholderData}
            onSearch={(next) => change({ search: next }, hasSearch)}
          />
        </Group>
      )}
      <QueryBoundary query={list} rows={4} height={64} />
      {list.data !== undefined && !list.isPlaceholderData && notes.length === 0 && (
        <EmptyState
          icon={IconNote}
          title={hasSearch ? texts.noneFound : texts.empty.title}
          actions={hasSearch ? undefined : addButton}
        >
          {hasSearch ? undefined : texts.empty.text}
        </EmptyState>
      )}
      {notes.length > 0 && (
        <ul className={lists.plainList} aria-label={texts.pageTitle}>
          {notes.map((record) => (
            <NoteItem
              key={record.recordId}
              record={record}
              edit={() => change({ edit: record.recordId })}
              findTag={(tag) => change({ search: tag })}
            />
          ))}
        </ul>
      )}
      {notes.length > 0 && (
        <ListEnd
          hasMore={list.hasNextPage}
          isLoading={list.isFetchingNextPage}
          hasFailed={list.isError}
          loadMore={() => void list.fetchNextPage()}
          texts={texts}
          endText=""
        />
      )}
      <Dialog
        opened={editedId !== ''}
        onClose={close}
        title={shownId === NEW_NOTE_ID ? texts.add : texts.form.editTitle}
        size="lg"
        isLocked
      >
        {shownId === NEW_NOTE_ID ? (
          <NoteForm record={undefined} tags={tags} close={close} />
        ) : (
          <EditNote
            id={shownId}
            listedRecord={notes.find(({ recordId }) => recordId === shownId)}
            tags={tags}
            close={close}
          />
        )}
      </Dialog>
    </Page>
  );
}

interface EditNoteProps {
  id: string;
  /** The record as it is in the list; undefined if it is not listed. Shown until the record is loaded. */
  listedRecord: BrowsedRecord | undefined;
  tags: readonly string[];
  close: () => void;
}

function EditNote({ id, listedRecord, tags, close }: EditNoteProps) {
  const query = useQuery(recordQuery(id));
  const record = query.data ?? listedRecord;
  if (record?.endpoint === NOTES_ENDPOINT) return <NoteForm record={record} tags={tags} close={close} />;
  if (query.isPending) return <LoadingSkeleton rows={4} />;
  return query.isError ? (
    <ItemLoadError error={query.error} retry={() => void query.refetch()} texts={texts.form} />
  ) : (
    <NotFoundNote title={texts.form.notFound} text={texts.form.notFoundText} />
  );
}

interface NoteItemProps {
  record: BrowsedRecord;
  edit: () => void;
  findTag: (tag: string) => void;
}

function NoteItem({ record, edit, findTag }: NoteItemProps) {
  const { recordId, data, dateCreated } = record;
  const note = noteOf(data);
  const link = useRef<HTMLAnchorElement>(null);
  useItemEdit(link, note === undefined ? undefined : edit);
  return (
    <li className={classes.note}>
      <Box flex="1 1 auto" miw={0}>
        {note === undefined ? <Code block>{JSON.stringify(data, null, 2)}</Code> : <MarkdownText text={note.text} />}
        <Group gap="0.25rem 0.75rem" mt="sm">
          <TextLink to={recordPath(recordId)} ref={link} data-list-item>
            <RelativeTime at={dateCreated} />
          </TextLink>
          {note?.tags.map((tag) => (
            <Button key={tag} variant="light" size="compact-sm" maw="100%" h="auto" onClick={() => findTag(tag)}>
              <bdi>{tag}</bdi>
            </Button>
          ))}
        </Group>
      </Box>
      <OverflowMenu label={texts.actions}>
        {note !== undefined && (
          <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={edit}>
            {m.shell.edit}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconTrash size={16} stroke={1.6} />}
          onClick={() => void deleteRecords(NOTES_ENDPOINT, [recordId])}
        >
          {m.shell.delete}
        </Menu.Item>
      </OverflowMenu>
    </li>
  );
}
