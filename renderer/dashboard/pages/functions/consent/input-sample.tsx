import { Anchor, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { DryRun, OwnerFunction, SharingPreview } from '../../../../shared/api/contract.ts';
import { RecordPreviewList } from '../../../consent/record-preview.tsx';
import { usePreviewFields } from '../../../consent/preview-fields.ts';
import type { PlainProperty } from '../../../../shared/consent/bundle-text.ts';
import { fieldName } from '../../../../shared/components/program-names.ts';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import classes from './enable-consent.module.css';

const words = m.functions.enable;

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
    <div className={classes.right}>
      <section aria-labelledby="would-get">
        <div className={classes.head}>
          <Title order={2} id="would-get">
            {words.input}
          </Title>
          <Anchor component={Link} to={functionPath(ownerFunction.id, 'dry-run')}>
            {words.inputAll}
          </Anchor>
        </div>
        <Text c="dimmed" mb="md">
          {words.inputWait}
        </Text>
        {input.isLoading && <LoadingSkeleton rows={6} />}
        {input.isError && input.data === undefined && (
          <LoadError error={input.error} title={words.inputFailed} retry={() => void input.refetch()} />
        )}
        {input.data?.input === null && (
          <Text c="var(--stop)">
            {words.inputFailed}. {message}
          </Text>
        )}
        {input.data?.recordsIn === 0 && input.data.input !== null && <Text>{words.inputNone}</Text>}
        <div className={classes.properties}>
          {(preview?.properties ?? [])
            .filter(({ leaving }) => leaving > 0)
            .map(({ property, leaving, records }) => (
              <div key={property}>
                <div className={classes.count}>
                  <h3>{fieldName(property)}</h3>
                  <span>{m.functions.records(leaving)}</span>
                </div>
                <RecordPreviewList
                  records={records}
                  asJson={false}
                  fieldOf={(endpoint, path) => fieldOf(property, endpoint, path)}
                />
                {leaving > records.length && (
                  <Text c="dimmed" mt="xs">
                    {words.inputRest(leaving - records.length)}
                  </Text>
                )}
              </div>
            ))}
        </div>
      </section>
    </div>
  );
}
