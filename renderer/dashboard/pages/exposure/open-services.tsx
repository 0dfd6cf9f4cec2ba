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

const texts = m.exposure.open;

interface OpenService {
  id: keyof typeof texts.kinds;
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
      text: texts.publicFilesText(open.publicBytes),
      to: filesPath({ show: 'public' }),
    },
    sessions: { icon: IconDevices, text: texts.sessionsText, to: '/settings/security' },
    people: { icon: IconUsers, text: texts.peopleText, to: '/settings/people' },
    shareLinks: { icon: IconLink, text: texts.shareLinksText, to: LINKS_PATH },
    sharedFiles: { icon: IconFiles, text: texts.sharedFilesText, to: filesPath({ show: 'shared' }) },
    sharedViews: { icon: IconTable, text: texts.sharedViewsText, to: '/sharing' },
    applications: { icon: IconApps, text: texts.applicationsText, to: '/applications' },
    debits: { icon: IconEye, text: texts.debitsText, to: '/sharing' },
    contracts: { icon: IconContract, text: texts.contractsText, to: CONTRACTS_PATH },
    profile: { icon: IconUserCircle, text: texts.profileText, to: PROFILE_PATH },
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
  return ids.map((id) => ({ id, count: open[id], title: texts[id](open[id]), ...details[id] }));
}

export function OpenServices({ exposure: { open, state } }: { exposure: Exposure }) {
  const services = servicesOf(open);
  const closedServices = services.filter(({ count }) => count === 0);
  return (
    <Section title={texts.title}>
      <Text c="dimmed" mb="md">
        {isReachable(state) ? texts.text : texts.notNow}
      </Text>
      <ul className={classes.services} aria-label={texts.title}>
        <li>
          <IconDoor size={20} stroke={1.5} aria-hidden="true" />
          <span>
            {texts.signInPage}
            <small>{texts.signInPageText}</small>
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
                <TextLink to={to} aria-label={texts.viewLabel(title)} className={classes.link ?? ''}>
                  {m.home.view}
                </TextLink>
              </li>
            ),
        )}
      </ul>
      {closedServices.length > 0 && (
        <Text c="dimmed" mt="md">
          {texts.nothing(closedServices.map(({ id }) => texts.kinds[id]).join(', '))}
        </Text>
      )}
    </Section>
  );
}
