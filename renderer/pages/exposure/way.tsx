import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Exposure } from '../../api/exposure.ts';
import { Callout } from '../../components/callout.tsx';
import { Facts } from '../../components/consent/facts.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../messages/texts.ts';
import { WayForm } from './way-form.tsx';

const words = m.exposure.way;

/** By which way it is reached, and another one. */
export function Way({ now }: { now: Exposure }) {
  const [changing, change] = useDisclosure(false);
  const { way, fixed, relay, name, domain, publicUrl, publicListener } = now;
  return (
    <Section title={words.title}>
      {changing ? (
        <WayForm now={now} close={change.close} />
      ) : (
        <>
          <Facts
            facts={[
              { term: words.kind, value: words.is[way] },
              way === 'tunnel' && relay !== null && { term: words.relay, value: relay },
              way === 'tunnel' && { term: words.name, value: name },
              way === 'tunnel' && domain !== null && { term: words.domain, value: domain },
              way === 'own' && publicUrl !== null && { term: words.address, value: publicUrl },
              publicListener !== null && { term: words.proxy, value: words.pointProxy(publicListener) },
            ]}
          />
          {now.probe?.localAccess === true && <Callout tone="fault">{words.localAccess(publicListener)}</Callout>}
          {fixed ? (
            <Text size="sm" c="dimmed" mt="md">
              {words.fixed}
            </Text>
          ) : (
            <Button variant="default" mt="md" onClick={change.open}>
              {way === 'none' ? words.choose : words.change}
            </Button>
          )}
        </>
      )}
    </Section>
  );
}
