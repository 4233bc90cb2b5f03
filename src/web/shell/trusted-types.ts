interface TypePolicy {
  createScriptURL(address: string): string;
}
interface TypePolicyFactory {
  createPolicy(
    name: string,
    rules: Record<'createHTML' | 'createScript' | 'createScriptURL', (text: string) => string>,
  ): TypePolicy;
}

const rejected = (): never => {
  throw new TypeError('Not made of text here');
};

/**
 * The one policy of this page, `errand`: it makes script addresses for the worker at `worker`, and neither HTML nor
 * scripts. Where a browser knows no Trusted Types, the address goes through the same rule.
 */
export function workerAddress(worker: string, factory: TypePolicyFactory | undefined): string {
  const createScriptURL = (address: string) => (address === worker ? address : rejected());
  const rules = { createHTML: rejected, createScript: rejected, createScriptURL };
  return (factory?.createPolicy('errand', rules) ?? rules).createScriptURL(worker);
}

/** The browser's factory; TypeScript does not know it yet. */
export const trustedTypes = (): TypePolicyFactory | undefined =>
  (globalThis as { trustedTypes?: TypePolicyFactory }).trustedTypes;
