import { Button, NativeSelect, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter, IconLayoutGrid, IconList, IconMap, IconPhoto } from '@tabler/icons-react';
import type { FileSummary, OwnerFile } from '../../../../shared/api/contract.ts';
import { FILE_SORTS, isExactTotal } from '../../../api/files/selection.ts';
import { SelectionBar, type ListSelection } from '../../../../shared/long-list/selection-bar.tsx';
import { ViewChoice } from '../../../../shared/long-list/view-choice.tsx';
import { SearchField } from '../../../../shared/form/search-field.tsx';
import { bytes, number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { DownloadSelected } from '../bulk/download-selected.tsx';
import { MoveSelected } from '../bulk/move-selected.tsx';
import { TagSelected } from '../bulk/tag-selected.tsx';
import { sizeOf } from '../file-kinds.ts';
import { CollectSelected } from '../collections/collect-selected.tsx';
import { InviteSelected } from '../sharing/invite-selected.tsx';
import { ShareSelected } from '../sharing/share-link-button.tsx';
import classes from './files-toolbar.module.css';
import {
  type ChangeFilesView,
  type FilesView,
  FILE_KINDS,
  hasFilters,
  defaultOrder,
  layoutChange,
  showsOnlyPictures,
} from './use-files-view.ts';

const texts = m.files.filter;

interface FilesToolbarProps {
  view: FilesView;
  change: ChangeFilesView;
  summary: FileSummary | undefined;
  matches: { total: number; bytes: number } | undefined;
  busy: boolean;
  selected: readonly OwnerFile[];
  selection: ListSelection;
}

export function FilesToolbar(props: FilesToolbarProps) {
  const { view, change, matches, busy, selected, selection } = props;
  const [isOpen, { toggle }] = useDisclosure(false);
  const selectedBytes = selected.reduce((sum, file) => sum + sizeOf(file), 0);
  const filterCount = [
    showsOnlyPictures(view.layout) ? undefined : view.kind,
    view.source,
    view.tag,
    view.show === 'completed' ? '' : view.show,
  ].filter((value) => value !== undefined && value !== '').length;
  return (
    <div className={classes.toolbar}>
      <SearchField
        className={classes.search}
        label={texts.search}
        value={view.search}
        busy={busy}
        onSearch={(search) => change({ search, position: 0 }, { replace: view.search !== '' })}
      />
      <Button
        className={classes.filterToggle ?? ''}
        variant="default"
        leftSection={<IconFilter size={16} stroke={1.6} />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {filterCount === 0 ? texts.button : texts.buttonCount(filterCount)}
      </Button>
      <ViewChoice
        className={classes.view}
        label={texts.view}
        value={view.layout}
        views={[
          { value: 'list', icon: IconList, text: texts.asList },
          { value: 'grid', icon: IconLayoutGrid, text: texts.asGrid },
          { value: 'gallery', icon: IconPhoto, text: texts.asGallery },
          { value: 'map', icon: IconMap, text: texts.asMap },
        ]}
        onChange={(layout) => change(layoutChange(layout, view))}
      />
      <Filters {...props} isOpen={isOpen} />
      {(hasFilters(view) || selected.length > 0) && (
        <div className={classes.results}>
          <Text c="dimmed" role="status">
            {hasFilters(view) &&
              matches !== undefined &&
              (isExactTotal(view, matches.total)
                ? texts.matchCount(matches.total, matches.bytes)
                : texts.matchCountAtLeast(matches.total))}
          </Text>
          {selected.length > 0 && (
            <SelectionBar
              text={m.files.list.selected(selected.length, selectedBytes)}
              tooltip={bytes(selectedBytes)}
              selection={selection}
              actions={
                <>
                  <ShareSelected files={selected} />
                  <InviteSelected files={selected} />
                  <DownloadSelected files={selected} />
                  <TagSelected files={selected} />
                  <MoveSelected files={selected} folder={view.folder} onDone={selection.onClear} />
                  <CollectSelected files={selected} openId={view.collection} onRemoved={selection.onClear} />
                </>
              }
              texts={m.files.list}
            />
          )}
        </div>
      )}
    </div>
  );
}

function Filters({ view, change, summary, isOpen }: FilesToolbarProps & { isOpen: boolean }) {
  const sources = includeSelected(
    (summary?.sources ?? []).map(({ source, files }) => ({ value: source, label: `${source} (${number(files)})` })),
    view.source,
  );
  const tags = includeSelected(
    (summary?.tags ?? []).map(({ tag, files }) => ({ value: tag, label: `${tag} (${number(files)})` })),
    view.tag,
  );
  const hasOnlyPictures = showsOnlyPictures(view.layout);
  const orders = (hasOnlyPictures ? (['taken'] as const) : FILE_SORTS).flatMap((sort) => {
    const usualOrder = defaultOrder(sort);
    const directions =
      usualOrder === 'ascending' ? (['ascending', 'descending'] as const) : (['descending', 'ascending'] as const);
    return directions.map((order) => ({ sort, order, value: `${sort} ${order}` as const }));
  });
  return (
    <div className={classes.filters} role="group" aria-label={texts.label} data-open={isOpen || undefined}>
      <NativeSelect
        aria-label={texts.kind}
        value={view.kind ?? ''}
        disabled={hasOnlyPictures}
        data={[
          { value: '', label: texts.anyKind },
          ...FILE_KINDS.map((kind) => ({ value: kind, label: m.files.kindsOf[kind] })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          change({ kind: FILE_KINDS.find((kind) => kind === value), position: 0 })
        }
      />
      <NativeSelect
        aria-label={m.files.list.source}
        value={view.source}
        data={[{ value: '', label: texts.anySource }, ...sources]}
        onChange={({ currentTarget: { value } }) => change({ source: value, position: 0 })}
      />
      <NativeSelect
        aria-label={texts.tag}
        value={view.tag}
        data={[{ value: '', label: texts.anyTag }, ...tags]}
        onChange={({ currentTarget: { value } }) => change({ tag: value, position: 0 })}
      />
      <NativeSelect
        aria-label={texts.show}
        value={view.show}
        data={[
          { value: 'completed', label: texts.anyone },
          { value: 'shared', label: texts.shared },
          { value: 'public', label: texts.public },
        ]}
        onChange={({ currentTarget: { value } }) =>
          change({ show: value === 'shared' || value === 'public' ? value : 'completed', position: 0 })
        }
      />
      <NativeSelect
        aria-label={texts.order}
        value={`${view.sort} ${view.order}`}
        disabled={view.layout === 'map'}
        data={orders.map(({ value }) => ({ value, label: m.files.orders[value] }))}
        onChange={({ currentTarget }) => {
          const selectedOrder = orders.find(({ value }) => value === currentTarget.value);
          if (selectedOrder !== undefined)
            change({ sort: selectedOrder.sort, order: selectedOrder.order, position: 0 });
        }}
      />
    </div>
  );
}

/** Adds the selected value if it is missing: the summary lacks sources without files, and tags beyond the first 100. */
function includeSelected(
  options: { value: string; label: string }[],
  selected: string,
): { value: string; label: string }[] {
  if (selected === '' || options.some(({ value }) => value === selected)) return options;
  return [...options, { value: selected, label: selected }];
}
