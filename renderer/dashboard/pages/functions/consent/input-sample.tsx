import { Group, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { DryRun, OwnerFunction, SharingPreview } from '../../../../shared/api/contract.ts';
import { RecordPreviewList } from '../../../consent/record-preview.tsx';
import { usePreviewFields } from '../../../consent/preview-fields.ts';
import type { PlainProperty } from '../../../../shared/consent/bundle-text.ts';
import { fieldName } from '../../../../shared/components/display-names.ts';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import columnClasses from '../../../consent/shared-data.module.css';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.functions.enable;

interface InputSampleProps {
  ownerFunction: OwnerFunction;
  input: UseQueryResult<DryRun>;
  preview: SharingPreview | undefined;
  properties: readonly PlainProperty[];
}

export function InputSample({ ownerFunction, input, preview, properties }: InputSampleProps) {
  const fieldOf = usePreviewFields(properties);
  const { message } = input.data ?? { message: null };
  return (
    <div className={columnClasses.preview}>
      <section aria-labelledby="would-get">
        <Group justify="space-between" gap="0.25rem 1rem" mih="2rem" mb="0.75rem">
          <Title order={2} id="would-get">
            {texts.input}
          </Title>
          <TextLink to={functionPath(ownerFunction.id, 'dry-run')}>{texts.inputAll}</TextLink>
        </Group>
        <Text c="dimmed" mb="md">
          {texts.inputText}
        </Text>
        {input.isLoading && <LoadingSkeleton rows={6} />}
        {input.isError && input.data === undefined && (
          <LoadError error={input.error} title={texts.inputFailed} retry={() => void input.refetch()} />
        )}
        {input.data?.input === null && (
          <Text c="var(--stop)">
            {texts.inputFailed}. {message}
          </Text>
        )}
        {input.data?.recordsIn === 0 && input.data.input !== null && <Text>{texts.inputNone}</Text>}
        <Stack gap="lg">
          {(preview?.properties ?? [])
            .filter(({ leaving }) => leaving > 0)
            .map(({ property, leaving, records }) => (
              <div key={property}>
                <Group align="baseline" gap="0 0.75rem" mb="sm">
                  <Title order={3}>{fieldName(property)}</Title>
                  <span>{m.data.records(leaving)}</span>
                </Group>
                <RecordPreviewList
                  records={records}
                  isJsonShown={false}
                  fieldOf={(endpoint, path) => fieldOf(property, endpoint, path)}
                />
                {leaving > records.length && (
                  <Text c="dimmed" mt="xs">
                    {texts.inputRest(leaving - records.length)}
                  </Text>
                )}
              </div>
            ))}
        </Stack>
      </section>
    </div>
  );
}
