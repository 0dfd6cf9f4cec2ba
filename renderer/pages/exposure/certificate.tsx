import { Text } from '@mantine/core';
import type { CertificateState, PdaCertificate } from '../../api/exposure.ts';
import { Facts } from '../../components/consent/facts.tsx';
import { Mark, type Standing } from '../../components/mark.tsx';
import { Section } from '../../components/page.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import classes from './exposure-page.module.css';

const words = m.exposure.certificate;

const STANDINGS: Record<CertificateState, Standing> = {
  none: 'none',
  asking: 'moving',
  good: 'well',
  renewing: 'well',
  expired: 'fault',
  notYet: 'fault',
  untrusted: 'fault',
  failed: 'fault',
};

/** By what visitors know that it is this PDA that answers. */
export function Certificate({ certificate }: { certificate: PdaCertificate }) {
  const { state, issuer, notBefore, notAfter, problem, nextTry } = certificate;
  return (
    <Section title={words.title}>
      <Text size="sm" c="dimmed" mb="md" className={classes.text ?? ''}>
        {words.text}
      </Text>
      <Facts
        facts={[
          { term: words.stands, value: <Mark standing={STANDINGS[state]}>{words.states[state]}</Mark> },
          problem !== null && { term: words.problem, value: problem },
          nextTry !== null && { term: words.nextTry, value: <When at={nextTry} short /> },
          notAfter !== null && { term: words.until, value: <When at={notAfter} /> },
          state === 'notYet' && notBefore !== null && { term: words.from, value: <When at={notBefore} /> },
          issuer !== null && { term: words.issuer, value: issuer },
        ]}
      />
    </Section>
  );
}
