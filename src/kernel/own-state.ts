/**
 * State that one feature keeps in memory beside the data that is open: made when first asked for, gone with it.
 * `stopping` tells one opening from another.
 */
export function ownState<State>(create: () => State): (opened: { stopping: AbortSignal }) => State {
  const states = new WeakMap<AbortSignal, State>();
  return ({ stopping }) => {
    const state = states.get(stopping) ?? create();
    states.set(stopping, state);
    return state;
  };
}
