// A script of its own that the document waits for, so that nothing is painted in another theme than the chosen one, and
// the server is asked while the client itself is on its way.
import { basePathsIn } from './base-paths.ts';
import { askEarly } from './early-responses.ts';
import { showTheme, storedTheme } from './stored-theme.ts';

showTheme(storedTheme());
const { app = '/app/', api = '/api', session } = document.documentElement.dataset;
// What the worker gives may have been kept since before a sign-in.
const isNobody = session === 'none' && !navigator.serviceWorker?.controller;
void askEarly(basePathsIn({ app, api }, location.pathname).api, isNobody);
