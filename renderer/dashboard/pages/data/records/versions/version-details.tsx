import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RecordVersion } from '../../../../../../server/wire/record-versions.ts';
import type { BrowsedRecord } from '../../../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../../../shared/feedback/query-boundary.tsx';
import { showToast, runWithToast } from '../../../../../shared/feedback/toasts.tsx';
import { timeInWords } from '../../../../../shared/format/format.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { endpointFields } from '../../../../api/queries.ts';
import { recordVersion, restoreRecordVersion } from '../../../../api/record-versions.ts';
import { offerUndo } from '../../../../components/deletion.tsx';
import { RecordForm } from '../record-form.tsx';
import { useAuthorText } from './author-text.ts';
import { DifferenceList } from './difference-list.tsx';
import classes from './versions.module.css';

const texts = m.data.versions;
const CURRENT = 'current';

interface VersionDetailsProps {
  record: BrowsedRecord;
  version: RecordVersion;
  versions: readonly RecordVersion[];
  done: () => void;
}

type RestoredRecord = Pick<BrowsedRecord, 'endpoint' | 'recordId'>;

const undoRestore = async (record: RestoredRecord, versionId: number): Promise<void> => {
  await runWithToast(async () => {
    await restoreRecordVersion(record, versionId);
    showToast(texts.undone);
  });
};

/** Restores a version and offers to undo the restoration. Returns false if the request failed. */
const restore = (record: RestoredRecord, { versionId, stored }: RecordVersion): Promise<boolean> =>
  runWithToast(async () => {
    const undoVersionId = await restoreRecordVersion(record, versionId);
    if (undoVersionId === null) showToast(texts.same);
    else
      offerUndo({
        title: texts.restored,
        text: texts.restoredText(timeInWords(new Date(stored))),
        color: 'teal',
        undo: () => void undoRestore(record, undoVersionId),
      });
  });

export function VersionDetails({ record, version, versions, done }: VersionDetailsProps) {
  const { recordId } = record;
  const authorText = useAuthorText();
  const [comparedId, setComparedId] = useState(CURRENT);
  const [isBusy, setIsBusy] = useState(false);
  const comparedVersion = versions.find(({ versionId }) => String(versionId) === comparedId);
  const query = useQuery(recordVersion(recordId, version.versionId));
  const comparedQuery = useQuery({
    ...recordVersion(recordId, comparedVersion?.versionId ?? version.versionId),
    enabled: comparedVersion !== undefined,
  });
  const fields = useQuery(endpointFields(record.endpoint)).data?.fields ?? [];
  const textOf = ({ stored, storedBy }: RecordVersion) =>
    texts.versionText(timeInWords(new Date(stored)), authorText(storedBy));

  const submit = async () => {
    setIsBusy(true);
    if (await restore(record, version)) done();
    else setIsBusy(false);
  };

  const data = query.data?.data;
  const isLoaded = query.data !== undefined && (comparedVersion === undefined || comparedQuery.data !== undefined);
  const otherData = comparedVersion === undefined ? record.data : comparedQuery.data?.data;
  const isOlder = comparedVersion === undefined || comparedVersion.versionId > version.versionId;
  return (
    <>
      <NativeSelect
        label={texts.compareWith}
        size="sm"
        value={comparedVersion === undefined ? CURRENT : comparedId}
        data={[
          { value: CURRENT, label: texts.current },
          ...versions
            .filter(({ versionId }) => versionId !== version.versionId)
            .map((candidate) => ({ value: String(candidate.versionId), label: textOf(candidate) })),
        ]}
        onChange={(event) => setComparedId(event.currentTarget.value)}
      />
      <QueryBoundary query={query} rows={3} />
      {query.data !== undefined && comparedVersion !== undefined && <QueryBoundary query={comparedQuery} rows={3} />}
      {isLoaded && (
        <>
          <Text c="dimmed">{isOlder ? texts.changesSince : texts.changesUntil}</Text>
          <DifferenceList before={isOlder ? data : otherData} after={isOlder ? otherData : data} fields={fields} />
          <details className={classes.wholeRecord}>
            <summary>{texts.whole}</summary>
            <RecordForm data={data} fields={fields} />
          </details>
        </>
      )}
      <Group gap="sm">
        <Button
          variant="default"
          size="xs"
          loading={isBusy}
          leftSection={<IconRestore size={15} stroke={1.6} />}
          onClick={() => void submit()}
        >
          {texts.restore}
        </Button>
      </Group>
    </>
  );
}
