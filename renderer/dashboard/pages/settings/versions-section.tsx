import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { MAX_RECORD_VERSION_DAYS } from '../../../../server/wire/limits.ts';
import type { VersionRetention } from '../../../../server/wire/record-versions.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { useRepeatableSubmit } from '../../../shared/feedback/use-submit.ts';
import { bytes } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { setVersionDays, versionRetention } from '../../api/record-versions.ts';
import { Section } from '../../components/page.tsx';

const texts = m.settings.versions;

export function VersionsSection() {
  const retention = useQuery(versionRetention);
  return (
    <Section title={texts.title}>
      <QueryBoundary query={retention} rows={2} />
      {retention.data !== undefined && <RetentionForm retention={retention.data} />}
    </Section>
  );
}

const parseDays = (text: string): number | undefined => {
  const days = /^\d{1,3}$/u.test(text.trim()) ? Number(text) : Number.NaN;
  return days <= MAX_RECORD_VERSION_DAYS ? days : undefined;
};

function RetentionForm({ retention }: { retention: VersionRetention }) {
  const [text, setText] = useState(String(retention.days));
  const [isConfirming, setIsConfirming] = useState(false);
  const { busy, problem, run } = useRepeatableSubmit();
  const days = parseDays(text);

  const store = async () => {
    if (days === undefined) return;
    await setVersionDays(days);
    showToast(texts.saved(days));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (days === undefined || days === retention.days || busy) return;
    // Asks for confirmation only if fewer days can delete existing versions.
    if (days < retention.days && retention.bytes > 0) setIsConfirming(true);
    else void run(store);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw="36rem">
        <Text>{texts.text}</Text>
        <TextInput
          label={texts.days}
          description={texts.daysHint}
          inputMode="numeric"
          autoComplete="off"
          maw="20rem"
          value={text}
          error={days === undefined ? texts.daysInvalid : undefined}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Text c="dimmed" role="status">
          {texts.size(bytes(retention.bytes), bytes(retention.maxBytes))}
        </Text>
        <SubmitError problem={problem} />
        <Group>
          <Button type="submit" loading={busy} disabled={days === undefined || days === retention.days}>
            {m.shell.save}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={isConfirming}
        close={() => setIsConfirming(false)}
        title={texts.shorten}
        cancelLabel={m.shell.cancel}
        confirmLabel={texts.shortenSubmit}
        onConfirm={store}
      >
        {texts.shortenText(days ?? 0)}
      </ConfirmDialog>
    </form>
  );
}
