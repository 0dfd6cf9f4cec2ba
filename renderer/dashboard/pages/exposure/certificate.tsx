import { Text } from '@mantine/core';
import type { CertificateState, PdaCertificate } from '../../api/account/exposure.ts';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { StatusBadge, type BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { Section } from '../../components/page.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.exposure.certificate;

const BADGE_STATUS: Record<CertificateState, BadgeStatus> = {
  none: 'none',
  asking: 'pending',
  good: 'ok',
  renewing: 'ok',
  expired: 'error',
  notYet: 'error',
  untrusted: 'error',
  failed: 'error',
};

export function Certificate({ certificate }: { certificate: PdaCertificate }) {
  const { state, issuer, notBefore, notAfter, problem, nextTry } = certificate;
  return (
    <Section title={texts.title}>
      <Text c="dimmed" mb="md" maw="44rem">
        {texts.text}
      </Text>
      <FactList
        facts={[
          { term: texts.status, value: <StatusBadge status={BADGE_STATUS[state]}>{texts.states[state]}</StatusBadge> },
          problem !== null && { term: m.exposure.reason, value: problem },
          nextTry !== null && { term: m.exposure.next, value: <RelativeTime at={nextTry} short /> },
          notAfter !== null && { term: texts.until, value: <RelativeTime at={notAfter} /> },
          state === 'notYet' && notBefore !== null && { term: texts.from, value: <RelativeTime at={notBefore} /> },
          issuer !== null && { term: texts.issuer, value: issuer },
        ]}
      />
    </Section>
  );
}
