import { useEffect, useState } from 'preact/hooks';

/** Where something that is dragged would come; nowhere once the dragging ends, by Escape too. */
export function useOver<Place>() {
  const [over, setOver] = useState<Place>();
  useEffect(() => {
    const end = () => setOver(undefined);
    document.addEventListener('dragend', end);
    return () => document.removeEventListener('dragend', end);
  }, []);
  return [over, setOver] as const;
}
