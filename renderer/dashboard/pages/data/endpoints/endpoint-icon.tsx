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
import { useDataDisplay } from '../../../consent/use-data-names.ts';
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

type ChosenColour = NonNullable<EndpointDisplay['colour']>;

export const choiceColour = (colour: ChosenColour): string => `var(--choice-${colour})`;

interface IconProps extends Pick<EndpointDisplay, 'icon' | 'colour'> {
  /** In pixels. */
  size?: number;
}

export function EndpointIcon({ icon = 'table', colour = 'grey', size = 16 }: IconProps) {
  const Icon = ICONS[icon];
  return (
    <Icon
      size={size}
      stroke={1.6}
      aria-hidden="true"
      className={classes.icon ?? ''}
      style={{ color: choiceColour(colour) }}
    />
  );
}

/** Renders nothing if the owner chose neither icon nor colour, and the table icon if they chose only a colour. */
export function ChosenIcon(props: IconProps) {
  return props.icon === undefined && props.colour === undefined ? null : <EndpointIcon {...props} />;
}

export function ChosenEndpointIcon({ endpoint }: { endpoint: string }) {
  const { icon, colour } = useDataDisplay().iconOf(endpoint);
  return <ChosenIcon icon={icon} colour={colour} />;
}

export function ColourDot({ colour }: { colour: ChosenColour | undefined }) {
  if (colour === undefined) return null;
  return <span className={classes.dot} style={{ backgroundColor: choiceColour(colour) }} aria-hidden="true" />;
}
