import { RangeSlider, Text } from '@mantine/core';
import '@mantine/core/styles/Slider.css';
import { useState } from 'react';
import { dayShort, exactTime } from '../../../../../shared/format/format.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import classes from './map.module.css';

const texts = m.charts.map;
const DAY_SECONDS = 86_400;
/** If all times lie within fewer days, the interval is shown with the time of day. */
const MIN_DAYS_WITHOUT_CLOCK = 10;
const MAX_STEPS = 200;

interface TimeIntervalProps {
  /** Unix seconds. */
  times: { from: number; to: number };
  /** Undefined for the earliest or the latest time. */
  from: number | undefined;
  to: number | undefined;
  onChange: (from: number | undefined, to: number | undefined) => void;
}

export function TimeInterval({ times, from, to, onChange }: TimeIntervalProps) {
  const [firstSecond, lastSecond] = [Math.floor(times.from), Math.ceil(times.to)];
  const step = Math.max(1, Math.ceil((lastSecond - firstSecond) / MAX_STEPS));
  const positionOf = (seconds: number): number =>
    Math.round((Math.min(lastSecond, Math.max(firstSecond, seconds)) - firstSecond) / step);
  const secondsOf = (position: number): number => firstSecond + position * step;
  const steps = Math.ceil((lastSecond - firstSecond) / step);
  const selectedRange: [number, number] = [positionOf(from ?? firstSecond), to === undefined ? steps : positionOf(to)];
  const [draggedRange, setDraggedRange] = useState<[number, number]>();
  const [start, end] = draggedRange ?? selectedRange;
  const timeText = (position: number): string => {
    const iso = new Date(secondsOf(position) * 1000).toISOString();
    return lastSecond - firstSecond < MIN_DAYS_WITHOUT_CLOCK * DAY_SECONDS ? exactTime(iso) : dayShort(iso);
  };
  if (lastSecond <= firstSecond) return null;
  return (
    <div className={classes.interval}>
      <Text>{texts.interval(timeText(start), timeText(end))}</Text>
      <RangeSlider
        min={0}
        max={steps}
        minRange={1}
        value={[start, end]}
        label={null}
        thumbFromLabel={texts.from}
        thumbToLabel={texts.to}
        thumbValueText={timeText}
        onChange={setDraggedRange}
        onChangeEnd={([newStart, newEnd]) => {
          setDraggedRange(undefined);
          onChange(newStart === 0 ? undefined : secondsOf(newStart), newEnd === steps ? undefined : secondsOf(newEnd));
        }}
      />
    </div>
  );
}
