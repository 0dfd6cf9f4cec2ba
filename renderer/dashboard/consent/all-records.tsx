import { ActionIcon, Group, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Narrowing } from '../../shared/api/contract.ts';
import { type PreviewSource, sharingPreview } from '../api/sharing/debits.ts';
import { bytes } from '../../shared/format/format.ts';
import { m } from '../../shared/messages/texts.ts';
import { SideDrawer } from '../../shared/overlay/side-drawer.tsx';
import { QueryBoundary } from '../../shared/feedback/query-boundary.tsx';
import { withParameters, useUrlQuery } from '../../shared/form/use-url-query.ts';
import type { PreviewFieldOf } from './preview-fields.ts';
import { RecordPreviewList } from './record-preview.tsx';
import classes from './data-preview.module.css';
import { fieldName } from '../../shared/components/display-names.ts';

const texts = m.requests.sharedNow;
const PAGE_SIZE = 50;

interface AllRecordsDrawerProps {
  source: PreviewSource;
  narrowing: Narrowing | undefined;
  isJsonShown: boolean;
  fieldOf: PreviewFieldOf;
}

/** The drawer is open while the URL has the parameter `all`, which names the property. */
export function AllRecordsDrawer(props: AllRecordsDrawerProps) {
  const [query, setQuery] = useUrlQuery();
  const property = query.get('all');
  const close = () => setQuery(withParameters({ all: '', page: '' }));
  return (
    <SideDrawer
      opened={property !== null}
      close={close}
      title={property === null ? '' : texts.allTitle(fieldName(property))}
      size="44rem"
    >
      {property !== null && <RecordPages {...props} property={property} />}
    </SideDrawer>
  );
}

/** Returns the page number in the URL, from 1. */
const pageOf = (query: URLSearchParams): number => Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1);

function RecordPages({
  source,
  narrowing,
  isJsonShown,
  fieldOf,
  property,
}: AllRecordsDrawerProps & { property: string }) {
  const [query, setQuery] = useUrlQuery();
  const page = pageOf(query);
  const skip = (page - 1) * PAGE_SIZE;
  const result = useQuery(sharingPreview(source, narrowing, skip, PAGE_SIZE));
  const preview = result.data?.properties.find((candidate) => candidate.property === property);
  if (result.isPending || result.isError) return <QueryBoundary query={result} rows={12} />;
  const total = preview?.leaving ?? 0;
  const lastPage = Math.max(1, Math.ceil(total / PAGE_SIZE));
  /** Counts from the page in the URL, because the displayed page may lag behind. */
  const turnPages = (count: number) =>
    setQuery(
      (current) => {
        const targetPage = Math.max(1, Math.min(lastPage, pageOf(current) + count));
        return withParameters({ page: String(targetPage) })(current);
      },
      { replace: true },
    );
  const records = preview?.records ?? [];
  return (
    <div className={classes.properties} data-updating={result.isPlaceholderData || undefined}>
      <Group gap="xs" justify="space-between">
        <Text c="dimmed" role="status">
          {records.length === 0 ? texts.none : texts.range(skip + 1, skip + records.length, total)} ·{' '}
          {texts.size(bytes(result.data.bytes))}
        </Text>
        <Group gap={4}>
          <ActionIcon
            variant="default"
            size={32}
            aria-label={m.data.endpoint.previous}
            disabled={page === 1}
            onClick={() => turnPages(-1)}
          >
            <IconChevronLeft size={18} stroke={1.6} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={32}
            aria-label={m.data.endpoint.next}
            disabled={skip + records.length >= total}
            onClick={() => turnPages(1)}
          >
            <IconChevronRight size={18} stroke={1.6} />
          </ActionIcon>
        </Group>
      </Group>
      <RecordPreviewList
        records={records}
        first={skip}
        isJsonShown={isJsonShown}
        fieldOf={(endpoint, path) => fieldOf(property, endpoint, path)}
      />
    </div>
  );
}
