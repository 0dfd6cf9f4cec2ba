import { Button, Text } from '@mantine/core';
import { type Exposure, probeExposure } from '../../api/account/exposure.ts';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { useRepeatableSubmit } from '../../../shared/feedback/use-submit.ts';

const texts = m.exposure.probe;

export function ProbeResult({ exposure: { probe } }: { exposure: Exposure }) {
  const { busy, problem, run } = useRepeatableSubmit();
  const runProbe = async () => {
    const { probe: result } = await probeExposure();
    // If the connection is not ready, the PDA probes nothing and returns the previous result.
    if (result === null || result.at === probe?.at) showToast(texts.notProbed);
    else showToast(result.reached ? texts.reachedNow : texts.missedNow);
  };
  return (
    <Section title={texts.title}>
      <Text c="dimmed" mb="md" maw="44rem">
        {texts.text}
      </Text>
      {probe === null ? (
        <Text>{texts.never}</Text>
      ) : (
        <FactList
          facts={[
            { term: texts.checkedAt, value: <RelativeTime at={probe.at} /> },
            { term: texts.result, value: probe.reached ? texts.reached(probe.ms) : texts.noResponse },
            probe.problem !== null && { term: texts.actualResult, value: probe.problem },
          ]}
        />
      )}
      <Button variant="default" mt="md" loading={busy} onClick={() => void run(runProbe)}>
        {texts.now}
      </Button>
      <SubmitError problem={problem} />
    </Section>
  );
}
