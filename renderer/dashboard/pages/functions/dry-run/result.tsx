import { Anchor, Button, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { DryRun, OwnerFunction } from '../../../../shared/api/contract.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { RecordPreviewList } from '../../../consent/record-preview.tsx';
import { Section } from '../../../components/page.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { endpointPath } from '../../../navigation.ts';
import classes from './dry-run-page.module.css';
import { ConsoleLog } from '../runs/console-log.tsx';
import { RunWindow } from '../runs/runs-table.tsx';
import { LongJson } from './long-json.tsx';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.functions.dry;
const INITIAL_RECORDS = 10;
const RECORDS_STEP = 100;

interface DryRunResultProps {
  ownerFunction: OwnerFunction;
  result: DryRun;
  /** Next step, such as sending the input. */
  children?: ReactNode;
}

export function DryRunResult({ ownerFunction, result, children }: DryRunResultProps) {
  const { input, output, outcome, message, log, more } = result;
  const hasRun = outcome !== null;
  return (
    <>
      <div role="status">
        <DryRunNotice ownerFunction={ownerFunction} result={result} />
      </div>
      {children}
      <FactList
        facts={[
          {
            term: texts.outcome,
            value: (
              <>
                {hasRun ? m.functions.runs.outcomes[outcome] : texts.notRun}
                {message !== null && `. ${message}`}
              </>
            ),
            emphasised: hasRun && outcome !== 'done',
          },
          {
            term: texts.read,
            value: `${texts.readText(result.recordsIn, result.bytesIn)}${more ? `. ${texts.more}` : ''}`,
          },
          {
            term: texts.window,
            value: <RunWindow {...result.window} />,
          },
          hasRun && {
            term: texts.duration,
            value: result.durationMs === null ? texts.unknown : m.functions.runDuration(result.durationMs),
          },
          hasRun && {
            term: texts.memory,
            value: result.peakMemoryBytes === null ? texts.unknown : bytes(result.peakMemoryBytes),
          },
        ]}
      />
      <div className={classes.columns}>
        <div className={classes.column}>
          <Title order={2}>{hasRun ? texts.input : texts.preparedInput}</Title>
          {input === null ? (
            <Text c="dimmed">{texts.noInput}</Text>
          ) : (
            <Input input={input} label={hasRun ? texts.input : texts.preparedInput} />
          )}
        </div>
        <div className={classes.column}>
          <Title order={2}>{texts.output}</Title>
          {output === null ? (
            <Text c="dimmed">{hasRun ? texts.noOutput : texts.noOutputYet}</Text>
          ) : (
            <LongJson value={output} label={texts.output} copyLabel={texts.copyOutput} />
          )}
        </div>
      </div>
      {hasRun && (
        <>
          <OutputRecords ownerFunction={ownerFunction} result={result} />
          <Section title={texts.log}>
            <ConsoleLog lines={log} emptyText={texts.logNone} label={texts.log} />
          </Section>
        </>
      )}
    </>
  );
}

function Input({ input, label }: { input: unknown; label: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const hasRequest = typeof input === 'object' && input !== null && 'request' in input;
  return (
    <>
      <LongJson
        value={hasRequest && !showsAll ? { request: input.request } : input}
        label={label}
        copyLabel={texts.copyInput}
      />
      {hasRequest && (
        <Anchor
          component="button"
          type="button"
          mt="xs"
          aria-expanded={showsAll}
          onClick={() => setShowsAll(!showsAll)}
        >
          {showsAll ? texts.hideConfiguration : texts.showConfiguration}
        </Anchor>
      )}
    </>
  );
}

function DryRunNotice({ ownerFunction: { place }, result }: { ownerFunction: OwnerFunction; result: DryRun }) {
  if (place.kind === 'here') {
    return (
      <Callout tone="neutral" title={texts.nothingSaved}>
        {texts.nothingSavedText}
      </Callout>
    );
  }
  // A run that failed before it had an input sent nothing either.
  if (result.outcome === null || result.input === null) {
    return (
      <Callout tone="neutral" title={texts.notSent(place.host)}>
        {result.input === null ? undefined : texts.notSentText}
      </Callout>
    );
  }
  return <Callout tone="attention" title={texts.sent(place.host)} />;
}

function OutputRecords({
  ownerFunction,
  result: { records, outcome },
}: {
  ownerFunction: OwnerFunction;
  result: DryRun;
}) {
  const [visibleCount, setVisibleCount] = useState(INITIAL_RECORDS);
  if (outcome !== 'done') return null;
  const remaining = records.length - visibleCount;
  return (
    <Section
      title={texts.recordsPreview(records.length)}
      aside={
        records.length > 0 && (
          <TextLink to={endpointPath(ownerFunction.writes)}>
            {m.functions.run.inEndpoint(ownerFunction.writes)}
          </TextLink>
        )
      }
    >
      <RecordPreviewList records={records.slice(0, visibleCount).map(({ data }) => ({ data }))} isJsonShown={false} />
      {remaining > 0 && (
        <Button variant="default" size="xs" mt="md" onClick={() => setVisibleCount(visibleCount + RECORDS_STEP)}>
          {m.shell.showMore(Math.min(RECORDS_STEP, remaining))}
        </Button>
      )}
    </Section>
  );
}
