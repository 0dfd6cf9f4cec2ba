// Records of the benchmarks: 200 bytes of JSON each, all different.

const RECORD_BYTES = 200;

export const ENDPOINTS = {
  large: 'bench/large',
  filtered: 'bench/filtered',
  single: 'bench/single',
  batch: 'bench/batch',
  imported: 'bench/imported',
} as const;

export const FILTERED_RECORDS = 100_000;
export const SELECTED_NUMBER = 50_000;

const FIRST_TIME_MS = Date.UTC(2024, 0, 1);

const createRecordText = (number: number): string => {
  const text = JSON.stringify({
    n: number,
    time: new Date(FIRST_TIME_MS + number * 60_000).toISOString(),
    steps: (number * 7919) % 12_000,
    heart: { low: 48 + (number % 17), high: 110 + (number % 71) },
    place: `place ${number % 251}`,
    note: '',
  });
  return `${text.slice(0, -2)}${'x'.repeat(RECORD_BYTES - text.length)}"}`;
};

export const createRecordTexts = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => createRecordText(from + index));
