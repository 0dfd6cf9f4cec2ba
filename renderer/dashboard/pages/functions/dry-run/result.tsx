import { Anchor, Button, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { DryRun, OwnerFunction } from '../../../../shared/api/contract.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { RecordPreview } from '../../../consent/record-preview.tsx';
import { Section } from '../../../components/page.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { endpointPath } from '../../../navigation.ts';
import classes from './dry-run-page.module.css';
import { LogLines } from '../runs/console-log.tsx';
import { LongJson } from './long-json.tsx';

const words = m.functions.dry;
const RECORDS_SHOWN = 10;

interface DryRunResultProps {
  one: OwnerFunction;
  result: DryRun;
  /** The next step, if there is one. */
  children?: ReactNode;
}

/** Side by side what it got and what it answered; below, what would have been saved. Said aloud: nothing was. */
export function DryRunResult({ one, result, children }: DryRunResultProps) {
  const { input, output, outcome, message, log, more } = result;
  const asked = outcome !== null;
  return (
    <>
      <div role="status">
        <Said one={one} result={result} />
      </div>
      {children}
      <FactList
        facts={[
          {
            term: words.outcome,
            value: (
              <>
                {asked ? m.functions.runs.outcomes[outcome] : words.notAsked}
                {message !== null && `. ${message}`}
              </>
            ),
            emphasised: asked && outcome !== 'done',
          },
          {
            term: words.read,
            value: `${words.readText(result.recordsIn, result.bytesIn)}${more ? `. ${words.more}` : ''}`,
          },
          {
            term: words.window,
            value: (
              <>
                {result.window.fromDate === null ? words.fromBeginning : <RelativeTime at={result.window.fromDate} />} –{' '}
                <RelativeTime at={result.window.untilDate} />
              </>
            ),
          },
          asked && {
            term: words.took,
            value: result.durationMs === null ? words.unknown : m.functions.took(result.durationMs),
          },
          asked && {
            term: words.memory,
            value: result.peakMemoryBytes === null ? words.unknown : bytes(result.peakMemoryBytes),
          },
        ]}
      />
      <div className={classes.sides}>
        <div className={classes.side}>
          <Title order={2}>{asked ? words.input : words.inputWould}</Title>
          {input === null ? (
            <Text size="sm" c="dimmed">
              {words.noInput}
            </Text>
          ) : (
            <Input input={input} label={asked ? words.input : words.inputWould} />
          )}
        </div>
        <div className={classes.side}>
          <Title order={2}>{words.output}</Title>
          {output === null ? (
            <Text size="sm" c="dimmed">
              {asked ? words.noOutput : words.noOutputYet}
            </Text>
          ) : (
            <LongJson value={output} label={words.output} copyLabel={words.copyOutput} />
          )}
        </div>
      </div>
      {asked && (
        <>
          <WouldSave one={one} result={result} />
          <Section title={words.log}>
            <LogLines lines={log} none={words.logNone} label={words.log} />
          </Section>
        </>
      )}
    </>
  );
}

/** The input data; the function's configuration can be expanded. */
function Input({ input, label }: { input: unknown; label: string }) {
  const [whole, setWhole] = useState(false);
  const isSplit = typeof input === 'object' && input !== null && 'request' in input;
  return (
    <>
      <LongJson
        value={isSplit && !whole ? { request: input.request } : input}
        label={label}
        copyLabel={words.copyInput}
      />
      {isSplit && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          mt="xs"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
        >
          {whole ? words.onlyRequest : words.whole}
        </Anchor>
      )}
    </>
  );
}

function Said({ one: { place }, result }: { one: OwnerFunction; result: DryRun }) {
  if (place.kind === 'here') {
    return (
      <Callout tone="neutral" title={words.saved}>
        {words.savedText}
      </Callout>
    );
  }
  if (result.outcome === null) {
    return (
      <Callout tone="neutral" title={words.notSent(place.host)}>
        {words.notSentText}
      </Callout>
    );
  }
  return <Callout tone="attention" title={words.sent(place.host)} />;
}

function WouldSave({ one, result: { records, outcome } }: { one: OwnerFunction; result: DryRun }) {
  const [shown, setShown] = useState(RECORDS_SHOWN);
  if (outcome !== 'done') return null;
  const rest = records.length - shown;
  return (
    <Section
      title={words.wouldSave(records.length)}
      aside={
        records.length > 0 && (
          <Anchor component={Link} to={endpointPath(one.writes)} size="sm">
            {words.wouldSaveAt(one.writes)}
          </Anchor>
        )
      }
    >
      <ol className={classes.records}>
        {records.slice(0, shown).map(({ data }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- they have no id before they are saved, and none changes its place
          <RecordPreview key={at} record={{ data }} asJson={false} />
        ))}
      </ol>
      {rest > 0 && (
        <Button variant="default" size="xs" mt="md" onClick={() => setShown(shown + 100)}>
          {words.showMore(Math.min(100, rest))}
        </Button>
      )}
    </Section>
  );
}
