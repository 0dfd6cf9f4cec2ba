import { Button, Text, Title } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import type { ImportJob } from '../../../shared/api/contract.ts';
import { runWithToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ProgressMeter } from '../../components/progress-meter.tsx';

const texts = m.imports.run;
/** Delay before the first estimate of the remaining time, which would otherwise fluctuate. */
const ESTIMATE_AFTER_MS = 2000;

function remainingText(job: ImportJob): string | undefined {
  if (job.started === null || job.bytesRead === 0) return undefined;
  const elapsedMs = Date.now() - new Date(job.started).getTime();
  if (elapsedMs < ESTIMATE_AFTER_MS) return undefined;
  return m.shell.timeLeft((elapsedMs / job.bytesRead) * (job.size - job.bytesRead));
}

export function ImportProgress({ job, update }: { job: ImportJob; update: (job: ImportJob) => void }) {
  const [busy, setBusy] = useState(false);
  const stop = async () => {
    setBusy(true);
    const isStopped = await runWithToast(async () => {
      update(await call('POST /api/v2.6/owner/imports/:importId/cancel', { params: { importId: job.importId } }));
    });
    if (!isStopped) setBusy(false);
  };
  return (
    <section>
      <Title order={2}>
        {texts.title} {job.endpoint !== null && texts.target(job.endpoint)}
      </Title>
      <ProgressMeter
        label={texts.label}
        share={job.bytesRead / Math.max(1, job.size)}
        detail={texts.progress(job.added, job.skipped)}
        remaining={remainingText(job)}
      />
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={16} stroke={1.6} />}
        loading={busy}
        onClick={() => void stop()}
      >
        {texts.stop}
      </Button>
      <Text c="dimmed" mt="md">
        {texts.canLeave}
      </Text>
    </section>
  );
}
