import {
  IconBook,
  IconCalendar,
  IconCar,
  IconCloud,
  IconCoin,
  IconHeart,
  IconHome,
  IconMail,
  IconMap,
  IconMusic,
  IconPhoto,
  IconRun,
  IconStar,
  IconTable,
  IconToolsKitchen2,
} from '@tabler/icons-react';
import type { EndpointDisplay } from '../../../../../server/wire/fields.ts';
import classes from './endpoint-icon.module.css';

const ICONS = {
  table: IconTable,
  heart: IconHeart,
  run: IconRun,
  map: IconMap,
  money: IconCoin,
  calendar: IconCalendar,
  music: IconMusic,
  photo: IconPhoto,
  book: IconBook,
  home: IconHome,
  cloud: IconCloud,
  mail: IconMail,
  star: IconStar,
  car: IconCar,
  food: IconToolsKitchen2,
};

/** Icon of an endpoint in the colour that the owner chose; a grey table by default. Hidden from screen readers. */
export function EndpointIcon({ icon = 'table', colour = 'grey' }: Pick<EndpointDisplay, 'icon' | 'colour'>) {
  const Icon = ICONS[icon];
  return <Icon size={16} stroke={1.6} aria-hidden="true" className={classes.icon ?? ''} data-colour={colour} />;
}
