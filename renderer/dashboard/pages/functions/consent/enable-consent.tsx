import { Button, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useNavigate } from 'react-router';
import { call } from '../../../../shared/api/client.ts';
import type { OwnerFunction, SharingPreview } from '../../../../shared/api/contract.ts';
import { functionInput, refreshFunctions, cacheFunction } from '../../../api/functions/queries.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { AllowBar } from '../../../consent/allow-bar.tsx';
import { NO_CHOICES } from '../../../consent/choices.ts';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { ScopeChoice } from '../../../consent/scope-choice.tsx';
import { WithheldData } from '../../../consent/withheld-data.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { Section } from '../../../components/page.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { ChangeList } from '../../requests/change-list.tsx';
import { changesOf } from './differences.ts';
import classes from './enable-consent.module.css';
import { previewOf } from './input-preview.ts';
import { triggerText } from '../trigger-text.ts';
import { isAvailable } from '../status/state.ts';
import { WouldGet } from './input-sample.tsx';
import { capital, nameOf, plainReads, readsText } from '../function-text.ts';

const words = m.functions.enable;

interface EnableConsentProps {
  one: OwnerFunction;
  configuration: NonNullable<OwnerFunction['configuration']>;
  /** What is decided about, by name. */
  asked: string;
  /** It took the place of another one while the owner looked. */
  changed: boolean;
}

/** What it would read, field by field, beside the very records; and that these leave, if they do, before anything else. */
export function EnableConsent({ one, configuration, asked, changed }: EnableConsentProps) {
  const { id, place, writes, limits, reads, approved } = one;
  const name = nameOf(one);
  const { dataBundle } = configuration;
  const properties = useMemo(() => plainReads(dataBundle, reads), [dataBundle, reads]);
  const input = useQuery({ ...functionInput(id, asked), enabled: isAvailable(one) });
  const seen = useMemo((): SharingPreview | undefined => {
    return input.data === undefined ? undefined : previewOf(properties, input.data);
  }, [properties, input.data]);
  const what = readsText(dataBundle);
  const { description } = configuration.info;
  return (
    <>
      {approved !== null && (
        <div className={classes.changes}>
          <Section title={words.changes}>
            <Text size="sm" c="dimmed" mb="sm">
              {words.changesText(approved.version)}
            </Text>
            <ChangeList found={changesOf(one)} same={words.changesNone} />
          </Section>
        </div>
      )}
      {place.kind === 'elsewhere' ? (
        <Callout tone="attention" title={capital(words.leaves(what, place.host))}>
          {words.leavesText}
        </Callout>
      ) : (
        <Callout tone="neutral" title={words.stays}>
          {words.staysText}
        </Callout>
      )}
      <FactList
        facts={[
          description.text !== '' && { term: words.purpose, value: description.text },
          { term: words.when, value: triggerText(configuration.trigger) },
          { term: words.worst, value: capital(words.worstHere(what)), emphasised: true },
          { term: words.stores, value: `${writes}, ${m.functions.facts.writesOnly}` },
          {
            term: words.limits,
            value:
              limits.memoryMb === null
                ? m.functions.facts.limitsElsewhere(limits.timeoutMs)
                : m.functions.facts.limitsHere(limits.memoryMb, limits.timeoutMs),
          },
          { term: words.until, value: words.untilText },
        ]}
      />
      <Text size="xs" c="dimmed" mt="sm">
        {m.functions.about.ownWords}
      </Text>
      <div className={classes.columns}>
        <section aria-labelledby="would-read" className={classes.left}>
          <div className={classes.head}>
            <Title order={2} id="would-read">
              {m.functions.scope.titleAsked}
            </Title>
          </div>
          <ScopeChoice properties={properties} seen={seen} choices={NO_CHOICES} />
        </section>
        <WouldGet one={one} input={input} preview={seen} />
      </div>
      <WithheldData properties={properties} asked={seen} now={undefined} choices={NO_CHOICES} />
      <Decide one={one} name={name} what={what} changed={changed} />
    </>
  );
}

interface DecideProps {
  one: OwnerFunction;
  name: string;
  what: string;
  changed: boolean;
}

function Decide({ one, name, what, changed }: DecideProps) {
  const { id, version, configuration, place, approved, asksForMore, writes } = one;
  const navigate = useNavigate();
  const { busy, problem, run } = useSubmit();
  const enable = async () => {
    const now = await call('POST /api/v2.6/owner/functions/:id/enable', {
      params: { id },
      body: {
        version,
        writes,
        ...(configuration === null ? {} : { dataBundle: configuration.dataBundle, trigger: configuration.trigger }),
      },
    });
    cacheFunction(now);
    await navigate(functionPath(id), { replace: true });
    showToast(words.done(name), words.doneText);
    await refreshFunctions();
  };
  const more = changesOf(one).filter(({ kind }) => kind !== 'less').length;
  const allow =
    approved !== null && asksForMore && more > 0
      ? words.allowMore(more)
      : place.kind === 'here'
        ? words.allow(what)
        : words.allowElsewhere(what, place.host);
  return (
    <>
      <SubmitError problem={problem} />
      <AllowBar
        allow={allow}
        blockedReason={isAvailable(one) ? undefined : words.unavailable}
        changeNotice={changed ? words.changedLook : undefined}
        busy={busy}
        // It publishes something else by now: that is shown then, and nothing was allowed.
        onAllow={() => void run(enable, refreshFunctions)}
      >
        <Button component={Link} to={functionPath(id, 'dry-run')} variant="default">
          {words.dryRun}
        </Button>
        <Button variant="default" onClick={() => void navigate(functionPath(id))}>
          {words.notNow}
        </Button>
      </AllowBar>
    </>
  );
}
