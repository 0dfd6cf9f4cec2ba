import { IconApps } from '@tabler/icons-react';
import { Line, Lines } from '../../../components/lines.tsx';
import { Mark } from '../../../components/mark.tsx';
import type { Listed } from '../../api/client.ts';
import { listed } from '../../api/queries.ts';
import { HandedInPage } from '../../components/handed-in-page.tsx';
import { Moment } from '../../components/moment.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/texts.ts';
import { applicationPath } from '../../navigation.ts';
import { rightsInShort } from './rights.ts';
import { STANDING } from './state.ts';

const words = x.applications;

export function ApplicationsPage() {
  return (
    <Only role="developer">
      <HandedInPage
        words={words}
        icon={IconApps}
        read={listed}
        waits="waiting"
        choices={['published', 'suspended', 'draft']}
      >
        {(items, label) => (
          <Lines label={label}>
            {items.map((one) => (
              <ApplicationLine key={one.application.id} {...one} />
            ))}
          </Lines>
        )}
      </HandedInPage>
    </Only>
  );
}

function ApplicationLine({ application, developer, state, changed }: Listed) {
  const { id, info, kind } = application;
  return (
    <Line
      to={applicationPath(id)}
      name={info.name}
      small={`${words.kinds[kind.kind] ?? kind.kind} ${words.by(developer)}`}
      below={info.headline}
      middle={rightsInShort(application)}
      end={
        <>
          <Mark standing={STANDING[state]} short>
            {words.states[state]}
          </Mark>
          <small>
            {words.page.version(info.version)}, <Moment at={changed} short />
          </small>
        </>
      }
    />
  );
}
