import { Button, Text } from '@mantine/core';
import { type Exposure, probeExposure } from '../../api/account/exposure.ts';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { useRepeatableSubmit } from '../../../shared/feedback/use-submit.ts';

const words = m.exposure.probe;

export function ProbeResult({ exposure: { probe } }: { exposure: Exposure }) {
  const { busy, problem, run } = useRepeatableSubmit();
  const runProbe = async () => {
    const { probe: result } = await probeExposure();
    if (result !== null) showToast(result.reached ? words.reachedNow : words.missedNow);
  };
  return (
    <Section title={words.title}>
      <Text c="dimmed" mb="md" maw="44rem">
        {words.text}
      </Text>
      {probe === null ? (
        <Text>{words.never}</Text>
      ) : (
        <FactList
          facts={[
            { term: words.checkedAt, value: <RelativeTime at={probe.at} /> },
            { term: words.result, value: probe.reached ? words.reached(probe.ms) : words.noResponse },
            probe.problem !== null && { term: words.actualResult, value: probe.problem },
          ]}
        />
      )}
      <Button variant="default" mt="md" loading={busy} onClick={() => void run(runProbe)}>
        {words.now}
      </Button>
      <SubmitError problem={problem} />
    </Section>
  );
}
