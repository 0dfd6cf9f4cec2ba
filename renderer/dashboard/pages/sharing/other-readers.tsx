import { type Icon, IconMathFunction, IconUsers, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { profile } from '../../api/account/profile.ts';
import { fileSummary } from '../../api/files/queries.ts';
import { functions } from '../../api/functions/queries.ts';
import { Section } from '../../components/page.tsx';
import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { PROFILE_PATH, filesPath, functionPath } from '../../navigation.ts';
import { nameOf } from '../functions/function-text.ts';
import classes from './sharing-page.module.css';

const words = m.sharing.others;

interface OtherReader {
  key: string;
  icon: Icon;
  title: string;
  text: string;
  to: string;
}

/** Lists readers that need neither a Data Debit nor an application: everyone, people and remote functions. */
export function useOtherReaders(): OtherReader[] {
  const files = useQuery(fileSummary).data;
  const ownProfile = useQuery(profile).data;
  const installed = useQuery(functions).data ?? [];
  const publicFiles = files?.public ?? 0;
  const sharedFiles = files?.shared ?? 0;
  const publicFields = ownProfile?.page === null ? 0 : (ownProfile?.public.length ?? 0);
  return [
    ...(publicFiles === 0
      ? []
      : [
          {
            key: 'public-files',
            icon: IconWorld,
            title: words.publicFiles(publicFiles),
            text: words.publicFilesText,
            to: filesPath({ show: 'public' }),
          },
        ]),
    ...(publicFields === 0
      ? []
      : [
          {
            key: 'profile',
            icon: IconWorld,
            title: words.profile,
            text: words.profileText(publicFields),
            to: PROFILE_PATH,
          },
        ]),
    ...(sharedFiles === 0
      ? []
      : [
          {
            key: 'shared-files',
            icon: IconUsers,
            title: words.sharedFiles(sharedFiles),
            text: words.sharedFilesText,
            to: filesPath({ show: 'shared' }),
          },
        ]),
    ...installed.flatMap((ownerFunction) => {
      const { id, place, configuration } = ownerFunction;
      if (place.kind === 'here' || configuration?.status.enabled !== true) return [];
      const title = nameOf(ownerFunction);
      return [
        {
          key: `function ${id}`,
          icon: IconMathFunction,
          title,
          text: words.functionText(place.host),
          to: functionPath(id),
        },
      ];
    }),
  ];
}

export function OtherReaders({ readers }: { readers: readonly OtherReader[] }) {
  return (
    <Section title={words.title}>
      <ul className={classes.list}>
        {readers.map(({ key, icon: ReaderIcon, title, text, to }) => (
          <li key={key} className={classes.line}>
            <span className={classes.icon} aria-hidden="true">
              <ReaderIcon size={20} stroke={1.6} />
            </span>
            <div className={classes.words}>
              <Link to={to} className={classes.name ?? ''} data-alone>
                <ForeignText>{title}</ForeignText>
              </Link>
              <span>{text}</span>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
