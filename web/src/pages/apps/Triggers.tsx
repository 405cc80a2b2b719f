import type { TriggerInfo } from "../../api/types";
import { useHas } from "../../hooks/session";
import { useFire } from "../../hooks/triggers";
import { words } from "../../lib/format";
import { Icon } from "../../parts/Icon";
import { explain } from "../../parts/states";
import { tell } from "../../parts/toast";

/** Starts a trigger now, for whoever may. */
export function TriggerButton({ app, trigger: t, small }: { app: string; trigger: TriggerInfo; small?: boolean }) {
  const fire = useFire();
  const onlyReads = useHas("auditor") && !useHas("admin");
  if (onlyReads || !t.cron) return null;
  return (
    <button type="button" className={small ? "button small" : "button"} title={t.doc} disabled={fire.isPending}
      onClick={() => fire.mutate({ app, name: t.name }, { onSuccess: () => tell(`${words(t.name)} was started.`), onError: (e) => tell(explain(e).title, "bad") })}>
      <Icon name="play" size={14} /> {words(t.name)}
    </button>
  );
}
