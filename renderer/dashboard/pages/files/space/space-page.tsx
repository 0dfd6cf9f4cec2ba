import { Group, Progress, SegmentedControl, Text } from '@mantine/core';
import { IconChartTreemap } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { FileSummary } from '../../../../shared/api/contract.ts';
import { fileSummary } from '../../../api/files/queries.ts';
import { MapTableToggle } from '../../../../shared/components/map-table-toggle.tsx';
import { Page, Section } from '../../../components/page.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { CopyIconButton, EmptyState } from '../../../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../../../shared/form/use-url-query.ts';
import { bytes, number, percent } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { filesPath } from '../../../navigation.ts';
import classes from './space-page.module.css';
import { layOutTreemap, groupSmallParts } from './treemap.ts';

const texts = m.files.space;

interface UsageGroup {
  key: string;
  label: string;
  to: string;
  files: number;
  bytes: number;
}

export function SpacePage() {
  const summary = useQuery(fileSummary);
  return (
    <Page
      title={texts.title}
      lead={
        summary.data !== undefined &&
        summary.data.files > 0 && (
          <span className={classes.total}>
            <b>{bytes(summary.data.bytes)}</b> {m.files.fileCount(summary.data.files)}
          </span>
        )
      }
      crumbs={[{ label: m.files.pageTitle, to: '/files' }]}
    >
      <QueryBoundary query={summary} rows={8} height={28} />
      {summary.data !== undefined && summary.data.files === 0 && (
        <EmptyState icon={IconChartTreemap} title={texts.emptyTitle}>
          {texts.emptyText}
        </EmptyState>
      )}
      {summary.data !== undefined && <DiskUsage summary={summary.data} />}
      {summary.data !== undefined && summary.data.files > 0 && <UsageByGroup summary={summary.data} />}
    </Page>
  );
}

function DiskUsage({ summary }: { summary: FileSummary }) {
  const { quotaBytes, freeBytes, deleted, folder } = summary;
  // Deleted files count towards the limit until they can no longer be restored.
  const used = summary.bytes + deleted.bytes;
  return (
    <div className={classes.usage}>
      {quotaBytes !== null && (
        <>
          <Progress.Root size={8} radius="sm">
            <Progress.Section
              value={Math.min(100, (used / Math.max(1, quotaBytes)) * 100)}
              color="teal"
              aria-label={texts.quota(used, quotaBytes)}
            />
          </Progress.Root>
          <span>{texts.quota(used, quotaBytes)}</span>
        </>
      )}
      <span>{texts.free(freeBytes)}</span>
      {deleted.files > 0 && <Link to="/files/deleted">{texts.deleted(deleted.files, deleted.bytes)}</Link>}
      <span className={classes.folder}>
        {texts.folder}: <code>{folder}</code>
        <CopyIconButton value={folder} label={m.files.empty.copyFolder} />
      </span>
    </div>
  );
}

function groupUsage(summary: FileSummary, grouping: 'source' | 'kind'): UsageGroup[] {
  if (grouping === 'source') {
    return summary.sources.map(({ source, ...amount }) => ({
      key: source,
      label: source,
      to: filesPath({ source, sort: 'size' }),
      ...amount,
    }));
  }
  return summary.kinds.map(({ kind, ...amount }) => ({
    key: kind,
    label: m.files.kindsOf[kind],
    to: filesPath({ kind, sort: 'size' }),
    ...amount,
  }));
}

function UsageByGroup({ summary }: { summary: FileSummary }) {
  const [query, setQuery] = useUrlQuery();
  const grouping = query.get('by') === 'kind' ? 'kind' : 'source';
  const isTableShown = query.get('view') === 'table';
  const groups = groupUsage(summary, grouping);
  return (
    <Section
      title={grouping === 'kind' ? texts.byKind : texts.bySource}
      aside={
        <Group gap="sm">
          <SegmentedControl
            size="xs"
            aria-label={texts.groups}
            value={grouping}
            data={[
              { value: 'source', label: texts.bySource },
              { value: 'kind', label: texts.byKind },
            ]}
            onChange={(by) => setQuery(withParameters({ by: by === 'kind' ? by : '' }), { replace: true })}
          />
          <MapTableToggle
            texts={texts}
            isTableShown={isTableShown}
            onChange={(table) => setQuery(withParameters({ view: table ? 'table' : '' }), { replace: true })}
          />
        </Group>
      }
    >
      {isTableShown ? <Table groups={groups} total={summary.bytes} grouping={grouping} /> : <Treemap groups={groups} />}
    </Section>
  );
}

/** Parts with a smaller share of the total have no box of their own, because their labels would not fit. */
const MIN_SHARE = 0.006;
const MAX_BOXES = 40;
/** Arbitrary units, which the styles of the boxes convert to percentages. */
const MAP_WIDTH = 1000;
const MAP_HEIGHT = 440;

function Treemap({ groups }: { groups: readonly UsageGroup[] }) {
  const { largeParts, rest } = groupSmallParts(groups, MIN_SHARE, MAX_BOXES);
  const total = groups.reduce((sum, { bytes: size }) => sum + size, 0);
  // Even combined, the small parts may be too small for a box.
  const hasRestBox = rest.bytes >= total * MIN_SHARE;
  const sizes = [...largeParts.map((part) => part.bytes), ...(hasRestBox ? [rest.bytes] : [])];
  const boxes = layOutTreemap(sizes, MAP_WIDTH, MAP_HEIGHT);
  const boxStyle = (index: number) => {
    const box = boxes[index] ?? { x: 0, y: 0, width: 0, height: 0 };
    return {
      insetInlineStart: `${(box.x / MAP_WIDTH) * 100}%`,
      insetBlockStart: `${(box.y / MAP_HEIGHT) * 100}%`,
      inlineSize: `${(box.width / MAP_WIDTH) * 100}%`,
      blockSize: `${(box.height / MAP_HEIGHT) * 100}%`,
    };
  };
  return (
    <>
      <ul className={classes.treemap} aria-label={texts.label}>
        {largeParts.map((part, index) => (
          <li key={part.key} style={boxStyle(index)}>
            <Link to={part.to} title={texts.tile(part.label, part.bytes, part.files)} data-rank={Math.min(index, 4)}>
              <strong>{part.label}</strong>
              <span>{bytes(part.bytes)}</span>
              <small>{m.files.fileCount(part.files)}</small>
            </Link>
          </li>
        ))}
        {hasRestBox && (
          <li style={boxStyle(largeParts.length)}>
            <span className={classes.restBox} title={texts.tile(texts.rest(rest.parts), rest.bytes, rest.files)}>
              <strong>{texts.rest(rest.parts)}</strong>
              <span>{bytes(rest.bytes)}</span>
            </span>
          </li>
        )}
      </ul>
      {rest.parts > 0 && (
        <Text c="dimmed" mt="sm">
          {texts.restText(rest.parts)}
        </Text>
      )}
    </>
  );
}

interface TableProps {
  groups: readonly UsageGroup[];
  /** In bytes. */
  total: number;
  grouping: 'source' | 'kind';
}

function Table({ groups, total, grouping }: TableProps) {
  return (
    <table className={classes.table} aria-label={texts.title}>
      <thead>
        <tr>
          <th scope="col">{texts.groupings[grouping]}</th>
          <th scope="col">{texts.files}</th>
          <th scope="col">{m.files.list.size}</th>
          <th scope="col">{texts.share}</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={group.key}>
            <th scope="row">
              <Link to={group.to}>{group.label}</Link>
            </th>
            <td>{number(group.files)}</td>
            <td>{bytes(group.bytes)}</td>
            <td>{group.bytes * 100 < total ? texts.underOne : percent(group.bytes / Math.max(1, total))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
