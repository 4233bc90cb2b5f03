/** The `onSubmit` of a form that a script sends. */
export const submits =
  (send: () => void) =>
  (event: Event): void => {
    event.preventDefault();
    send();
  };
