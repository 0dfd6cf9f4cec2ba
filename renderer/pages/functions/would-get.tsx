import { Anchor, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { DryRun, OwnerFunction, SharingPreview } from '../../api/contract.ts';
import { LeavingRecord } from '../../components/consent/leaving-record.tsx';
import { fieldName } from '../../components/consent/names.ts';
import { Failed, Loading } from '../../components/states.tsx';
import { m } from '../../messages/texts.ts';
import { functionPath } from '../../navigation.ts';
import classes from './enable-consent.module.css';

const words = m.functions.enable;

interface WouldGetProps {
  one: OwnerFunction;
  input: UseQueryResult<DryRun>;
  preview: SharingPreview | undefined;
}

/** The real records as it would get them now: the first few of each kind. */
export function WouldGet({ one, input, preview }: WouldGetProps) {
  const { message } = input.data ?? { message: null };
  return (
    <div className={classes.right}>
      <section aria-labelledby="would-get">
        <div className={classes.head}>
          <Title order={2} id="would-get">
            {words.input}
          </Title>
          <Anchor component={Link} to={functionPath(one.id, 'dry-run')} size="sm">
            {words.inputAll}
          </Anchor>
        </div>
        <Text size="sm" c="dimmed" mb="md">
          {words.inputWait}
        </Text>
        {input.isLoading && <Loading rows={6} />}
        {input.isError && input.data === undefined && (
          <Failed error={input.error} title={words.inputFailed} retry={() => void input.refetch()} />
        )}
        {input.data?.input === null && (
          <Text size="sm" c="var(--stop)">
            {words.inputFailed}. {message}
          </Text>
        )}
        {input.data?.recordsIn === 0 && input.data.input !== null && <Text size="sm">{words.inputNone}</Text>}
        <div className={classes.properties}>
          {(preview?.properties ?? [])
            .filter(({ leaving }) => leaving > 0)
            .map(({ property, leaving, records }) => (
              <div key={property}>
                <div className={classes.count}>
                  <h3>{fieldName(property)}</h3>
                  <span>{m.functions.records(leaving)}</span>
                </div>
                <ol className={classes.records}>
                  {records.map((record, at) => (
                    // oxlint-disable-next-line react/no-array-index-key -- a record has no name of its own here, and the first ones stay the first
                    <LeavingRecord key={at} record={record} asJson={false} />
                  ))}
                </ol>
                {leaving > records.length && (
                  <Text size="sm" c="dimmed" mt="xs">
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
