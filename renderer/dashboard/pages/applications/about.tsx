import { Box, Text, Title } from '@mantine/core';
import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { type Fact, FactList } from '../../../shared/components/fact-list.tsx';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { Section } from '../../components/page.tsx';
import { Picture } from '../../../shared/components/picture.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './about.module.css';

const texts = m.applications.about;

type Application = OwnerApplication['item']['application'];

/** Shows the developer's texts as plain text, because third-party markup is not trusted. */
export function AboutApplication({ application }: { application: Application }) {
  const { info } = application;
  const screenshots = info.graphics.screenshots.filter(({ normal }) => normal !== '');
  const facts = factsOf(application);
  return (
    <Section title={texts.title}>
      {info.description.text !== '' && <Text className={classes.text ?? ''}>{info.description.text}</Text>}
      {info.updateNotes != null && (
        <Box maw="44rem" mt="lg">
          <Title order={3}>{texts.news}</Title>
          <UpdateNotes header={info.updateNotes.header} notes={info.updateNotes.notes ?? []} />
        </Box>
      )}
      {screenshots.length > 0 && (
        <ul className={classes.screenshots} aria-label={texts.screenshots} tabIndex={0}>
          {screenshots.map(({ normal }, index) => (
            <li key={normal}>
              <Picture url={normal} alt={texts.screenshot(index + 1, info.name)} fallback={texts.noPicture} />
            </li>
          ))}
        </ul>
      )}
      {facts.length > 0 && (
        <div className={classes.facts}>
          <FactList facts={facts} />
        </div>
      )}
    </Section>
  );
}

export function UpdateNotes({ header, notes }: { header: string; notes: readonly string[] }) {
  return (
    <>
      <Text>{header}</Text>
      {notes.length > 0 && (
        <Box component="ul" mt="xs" mb={0} pl="1.25rem">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </Box>
      )}
    </>
  );
}

function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

function factsOf({ info, developer, kind }: Application): Fact[] {
  const facts: Fact[] = [];
  if (developer != null) {
    const site = developer.url ?? '';
    facts.push({
      term: texts.maker,
      value: hostOf(site) === undefined ? developer.name : <ExternalLink url={site}>{developer.name}</ExternalLink>,
    });
  }
  const links = [
    { term: texts.site, url: kind.url },
    { term: m.requests.page.terms, url: info.termsUrl ?? '' },
    { term: texts.privacy, url: info.privacyPolicyUrl ?? '' },
  ];
  for (const { term, url } of links) {
    if (hostOf(url) !== undefined) facts.push({ term, value: <ExternalLink url={url}>{shortUrl(url)}</ExternalLink> });
  }
  if ((info.supportContact ?? '') !== '') facts.push({ term: texts.support, value: info.supportContact });
  return facts;
}
