/** Logo of the product: a house with a closed door. */
export function BrandMark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0f5d58" />
      <path d="M8 15.2 16 8l8 7.2V24H8Z" fill="none" stroke="#fff" strokeWidth="2.2" strokeLinejoin="round" />
      <path d="M16 24v-6" stroke="#fff" strokeWidth="2.2" strokeLinecap="round" />
    </svg>
  );
}
