import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import type { DetectedExport, ImportJob } from '../../../shared/api/contract.ts';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { KindCounts } from './kind-counts.tsx';

interface RecognisedPreviewProps {
  job: ImportJob;
  contents: DetectedExport;
  update: (job: ImportJob) => void;
  discard: () => void;
}

export function RecognisedPreview({ job, contents, update, discard }: RecognisedPreviewProps) {
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const { busy, problem, run } = useSubmit();
  const kinds = contents.kinds.map(({ endpoint }) => endpoint).filter((endpoint) => !excluded.has(endpoint));
  const change = (endpoint: string, isIncluded: boolean) => {
    const next = new Set(excluded);
    if (isIncluded) next.delete(endpoint);
    else next.add(endpoint);
    setExcluded(next);
  };
  const startImport = () =>
    void run(async () =>
      update(
        await call('POST /api/v2.6/owner/imports/:importId/run', {
          params: { importId: job.importId },
          body: { format: 'known', kinds },
        }),
      ),
    );
  return (
    <>
      <KindCounts contents={contents} excluded={excluded} change={change} />
      <SubmitError problem={problem} />
      <Group gap="sm" mt="lg">
        <Button onClick={startImport} loading={busy} disabled={kinds.length === 0}>
          {m.imports.preview.run}
        </Button>
        <Button variant="default" onClick={discard}>
          {m.imports.preview.discard}
        </Button>
      </Group>
    </>
  );
}
