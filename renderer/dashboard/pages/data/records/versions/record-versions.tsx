import { Button, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { RecordVersion } from '../../../../../../server/wire/record-versions.ts';
import type { BrowsedRecord } from '../../../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../../shared/messages/texts.ts';
import { recordVersions } from '../../../../api/record-versions.ts';
import { useAuthorText } from './author-text.ts';
import { RecordMoves } from './record-moves.tsx';
import { VersionDetails } from './version-details.tsx';
import { VersionSummary } from './version-summary.tsx';
import classes from './versions.module.css';
import parts from '../../../../../shared/overlay/drawer-parts.module.css';
import { TextLink } from '../../../../../shared/components/text-link.tsx';

const texts = m.data.versions;
const MAX_LISTED_VERSIONS = 5;

/** Lists the versions of a record, newest first. An open version is compared with the record or another version. */
export function RecordVersions({ record }: { record: BrowsedRecord }) {
  const query = useQuery(recordVersions(record.recordId));
  const [openId, setOpenId] = useState<number | null>(null);
  const [showsAll, setShowsAll] = useState(false);
  const authorText = useAuthorText();
  const { current, versions = [], moves = [], days = 0 } = query.data ?? {};
  const listedVersions = showsAll ? versions : versions.slice(0, MAX_LISTED_VERSIONS);
  return (
    <>
      <section className={parts.sectionList}>
        <h3>{texts.title}</h3>
        <QueryBoundary query={query} rows={1} />
        {current !== undefined && versions.length === 0 && <NoVersions days={days} />}
        {current !== undefined && versions.length > 0 && (
          <ol className={classes.list}>
            <li className={classes.item}>
              <VersionSummary name={texts.current} at={current.stored} author={authorText(current.storedBy)} />
            </li>
            {listedVersions.map((version) => (
              <VersionRow
                key={version.versionId}
                record={record}
                version={version}
                versions={versions}
                isOpen={version.versionId === openId}
                setOpen={(isOpen) => setOpenId(isOpen ? version.versionId : null)}
              />
            ))}
          </ol>
        )}
        {listedVersions.length < versions.length && (
          <Button variant="default" size="xs" onClick={() => setShowsAll(true)}>
            {texts.showAll(versions.length)}
          </Button>
        )}
      </section>
      {moves.length > 0 && <RecordMoves moves={moves} />}
    </>
  );
}

function NoVersions({ days }: { days: number }) {
  return (
    <Text c="dimmed">
      {days === 0 ? texts.notKept : texts.none(days)}{' '}
      <TextLink to="/settings/about" underline="always">
        {texts.setting}
      </TextLink>
    </Text>
  );
}

interface VersionRowProps {
  record: BrowsedRecord;
  version: RecordVersion;
  versions: readonly RecordVersion[];
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
}

function VersionRow({ record, version, versions, isOpen, setOpen }: VersionRowProps) {
  const authorText = useAuthorText();
  const detailsId = useId();
  return (
    <li>
      <UnstyledButton
        className={classes.toggle ?? ''}
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailsId : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <VersionSummary at={version.stored} author={authorText(version.storedBy)} size={version.bytes} />
        <IconChevronDown size={16} stroke={1.6} aria-hidden="true" />
      </UnstyledButton>
      {isOpen && (
        <Stack id={detailsId} gap="0.75rem" pt="xs" pb="md">
          <VersionDetails record={record} version={version} versions={versions} done={() => setOpen(false)} />
        </Stack>
      )}
    </li>
  );
}
