import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Exposure } from '../../api/account/exposure.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { AccessModeForm } from './access-mode-form.tsx';

const words = m.exposure.accessMode;

export function AccessMode({ exposure }: { exposure: Exposure }) {
  const [isEditing, editor] = useDisclosure(false);
  const { way, fixed, relay, name, domain, publicUrl, publicListener, localtunnel } = exposure;
  return (
    <Section title={words.title}>
      {isEditing ? (
        <AccessModeForm exposure={exposure} close={editor.close} />
      ) : (
        <>
          <FactList
            facts={[
              { term: words.kind, value: words.names[way] },
              way === 'tunnel' && relay !== null && { term: words.relay, value: relay },
              way === 'tunnel' && { term: words.name, value: name },
              way === 'tunnel' && domain !== null && { term: words.domain, value: domain },
              way === 'own' && publicUrl !== null && { term: words.address, value: publicUrl },
              ...(localtunnel === null
                ? []
                : [
                    { term: words.localtunnel.server, value: localtunnel.host },
                    { term: words.localtunnel.name, value: localtunnel.subdomain },
                    { term: words.localtunnel.reader, value: localtunnel.readableBy },
                    {
                      term: words.localtunnel.passwords,
                      value: localtunnel.passwordSignIn
                        ? words.localtunnel.passwordsAccepted(localtunnel.readableBy)
                        : words.localtunnel.passwordsRefused,
                    },
                  ]),
              publicListener !== null && { term: words.proxy, value: words.pointProxy(publicListener) },
            ]}
          />
          {exposure.probe?.localAccess === true && <Callout tone="error">{words.localAccess(publicListener)}</Callout>}
          {fixed ? (
            <Text c="dimmed" mt="md">
              {words.fixed}
            </Text>
          ) : (
            <Button variant="default" mt="md" onClick={editor.open}>
              {way === 'none' ? words.choose : words.change}
            </Button>
          )}
        </>
      )}
    </Section>
  );
}
