// A script of its own that the document waits for, so that nothing is painted in another theme than the chosen one.
import { showTheme, storedTheme } from './stored-theme.ts';

showTheme(storedTheme());
