import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type Exposure, tryFromOutside } from '../../api/exposure.ts';
import { Facts } from '../../components/consent/facts.tsx';
import { tell } from '../../components/notices.tsx';
import { Section } from '../../components/page.tsx';
import { NotDone } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import classes from './exposure-page.module.css';

const words = m.exposure.probe;

/** What a stranger met who called the address. */
export function LastTry({ now: { probe } }: { now: Exposure }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const attempt = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { probe: made } = await tryFromOutside();
      if (made !== null) tell(made.reached ? words.reachedNow : words.missedNow);
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return (
    <Section title={words.title}>
      <Text size="sm" c="dimmed" mb="md" className={classes.text ?? ''}>
        {words.text}
      </Text>
      {probe === null ? (
        <Text size="sm">{words.never}</Text>
      ) : (
        <Facts
          facts={[
            { term: words.at, value: <When at={probe.at} /> },
            { term: words.result, value: probe.reached ? words.reached(probe.ms) : words.missed },
            probe.problem !== null && { term: words.instead, value: probe.problem },
          ]}
        />
      )}
      <Button variant="default" mt="md" loading={busy} onClick={() => void attempt()}>
        {words.now}
      </Button>
      <NotDone problem={problem} />
    </Section>
  );
}
