/** Values of the generated file records, some frequent and some rare. */
export const FILE_SOURCES = ['camera', 'scanner', 'letters'] as const;
export const FILE_TAGS = ['all', 'tenth', 'hundredth', 'thousandth'] as const;
export const WORDS = Array.from({ length: 400 }, (_, number) => `word${number.toString(36)}`);
export const USER = { name: 'reader', password: 'a long password for one reader' } as const;
