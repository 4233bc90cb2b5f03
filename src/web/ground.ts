/** The colour of the desk, as in `styles/tokens.css`: of what surrounds the page in the browser and the system. */
export const GROUND = { light: '#f4f3ee', dark: '#121513' };
