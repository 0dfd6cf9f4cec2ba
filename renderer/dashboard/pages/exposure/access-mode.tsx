import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Exposure } from '../../api/account/exposure.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { AccessModeForm } from './access-mode-form.tsx';

const texts = m.exposure.accessMode;

export function AccessMode({ exposure }: { exposure: Exposure }) {
  const [isEditing, editor] = useDisclosure(false);
  const { way, fixed, relay, name, domain, publicUrl, publicListener, localtunnel } = exposure;
  return (
    <Section title={texts.title}>
      {isEditing ? (
        <AccessModeForm exposure={exposure} close={editor.close} />
      ) : (
        <>
          <FactList
            facts={[
              { term: texts.kind, value: texts.names[way] },
              way === 'tunnel' && relay !== null && { term: texts.relay, value: relay },
              way === 'tunnel' && { term: texts.name, value: name },
              way === 'tunnel' && domain !== null && { term: texts.domain, value: domain },
              way === 'own' && publicUrl !== null && { term: texts.address, value: publicUrl },
              ...(localtunnel === null
                ? []
                : [
                    { term: texts.localtunnel.server, value: localtunnel.host },
                    { term: texts.localtunnel.name, value: localtunnel.subdomain },
                    { term: texts.localtunnel.reader, value: localtunnel.readableBy },
                    {
                      term: texts.localtunnel.passwords,
                      value: localtunnel.passwordSignIn
                        ? texts.localtunnel.passwordsAccepted(localtunnel.readableBy)
                        : texts.localtunnel.passwordsRefused,
                    },
                  ]),
              publicListener !== null && { term: texts.proxy, value: texts.pointProxy(publicListener) },
            ]}
          />
          {exposure.probe?.localAccess === true && <Callout tone="error">{texts.localAccess(publicListener)}</Callout>}
          {fixed ? (
            <Text c="dimmed" mt="md">
              {texts.fixed}
            </Text>
          ) : (
            <Button variant="default" mt="md" onClick={editor.open}>
              {way === 'none' ? texts.choose : texts.change}
            </Button>
          )}
        </>
      )}
    </Section>
  );
}
