import { Button } from '@mantine/core';
import { call } from '../../../../shared/api/client.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { useRepeatableSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { importJob, imports } from '../../../api/queries.ts';

/** Removes a failed import from Home. It stays in the list of imports. */
export function DismissButton({ importId, title }: { importId: string; title: string }) {
  const { busy, run } = useRepeatableSubmit();
  const dismiss = async () => {
    await runWithToast(async () => {
      const job = await call('POST /api/v2.6/owner/imports/:importId/dismiss', { params: { importId } });
      queryClient.setQueryData(importJob(importId).queryKey, job);
      await queryClient.invalidateQueries({ queryKey: imports.queryKey });
    });
  };
  return (
    <Button
      variant="subtle"
      color="gray"
      c="var(--ink-soft)"
      size="compact-sm"
      loading={busy}
      aria-label={`${m.home.dismiss}: ${title}`}
      onClick={() => void run(dismiss)}
    >
      {m.home.dismiss}
    </Button>
  );
}
