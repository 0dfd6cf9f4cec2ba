import { Text } from '@mantine/core';
import {
  type Icon,
  IconApps,
  IconContract,
  IconDevices,
  IconDoor,
  IconEye,
  IconFiles,
  IconLink,
  IconTable,
  IconUserCircle,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import type { Exposure } from '../../api/account/exposure.ts';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { CONTRACTS_PATH, LINKS_PATH, PROFILE_PATH, filesPath } from '../../navigation.ts';
import classes from './exposure-page.module.css';
import { isReachable } from './status-text.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

const words = m.exposure.open;

interface OpenService {
  id: keyof typeof words.kinds;
  count: number;
  icon: Icon;
  title: string;
  text: string;
  to: string;
}

function servicesOf(open: Exposure['open']): OpenService[] {
  const details: Record<OpenService['id'], Omit<OpenService, 'id' | 'count' | 'title'>> = {
    publicFiles: {
      icon: IconWorld,
      text: words.publicFilesText(open.publicBytes),
      to: filesPath({ show: 'public' }),
    },
    sessions: { icon: IconDevices, text: words.sessionsText, to: '/settings/security' },
    people: { icon: IconUsers, text: words.peopleText, to: '/settings/people' },
    shareLinks: { icon: IconLink, text: words.shareLinksText, to: LINKS_PATH },
    sharedFiles: { icon: IconFiles, text: words.sharedFilesText, to: filesPath({ show: 'shared' }) },
    sharedViews: { icon: IconTable, text: words.sharedViewsText, to: '/sharing' },
    applications: { icon: IconApps, text: words.applicationsText, to: '/applications' },
    debits: { icon: IconEye, text: words.debitsText, to: '/sharing' },
    contracts: { icon: IconContract, text: words.contractsText, to: CONTRACTS_PATH },
    profile: { icon: IconUserCircle, text: words.profileText, to: PROFILE_PATH },
  };
  const ids: OpenService['id'][] = [
    'profile',
    'publicFiles',
    'shareLinks',
    'sessions',
    'people',
    'sharedFiles',
    'sharedViews',
    'applications',
    'debits',
    'contracts',
  ];
  return ids.map((id) => ({ id, count: open[id], title: words[id](open[id]), ...details[id] }));
}

export function OpenServices({ exposure: { open, state } }: { exposure: Exposure }) {
  const services = servicesOf(open);
  const closedServices = services.filter(({ count }) => count === 0);
  return (
    <Section title={words.title}>
      <Text c="dimmed" mb="md">
        {isReachable(state) ? words.text : words.notNow}
      </Text>
      <ul className={classes.services} aria-label={words.title}>
        <li>
          <IconDoor size={20} stroke={1.5} aria-hidden="true" />
          <span>
            {words.signInPage}
            <small>{words.signInPageText}</small>
          </span>
        </li>
        {services.map(
          ({ id, count, icon: ServiceIcon, title, text, to }) =>
            count > 0 && (
              <li key={id}>
                <ServiceIcon size={20} stroke={1.5} aria-hidden="true" />
                <span>
                  {title}
                  <small>{text}</small>
                </span>
                <TextLink to={to} aria-label={words.viewLabel(title)} className={classes.link ?? ''}>
                  {m.home.view}
                </TextLink>
              </li>
            ),
        )}
      </ul>
      {closedServices.length > 0 && (
        <Text c="dimmed" mt="md">
          {words.nothing(closedServices.map(({ id }) => words.kinds[id]).join(', '))}
        </Text>
      )}
    </Section>
  );
}
