/** A tick in a rounded square; its colours hold on light and on dark. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="9" fill="#1c6b4f"/>
<path d="M9 16.8l4.8 4.7L23.2 11" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
