import { Badge, type Tone } from "../../parts/Badge";
import type { IconName } from "../../parts/Icon";
import { words } from "../../lib/format";
import type { Status } from "./data";

const looks: Record<Status, [Tone, IconName]> = {
  pending: ["warn", "clock"],
  approved: ["ok", "check"],
  rejected: ["bad", "cross"],
  exited: ["info", "out"],
  returned: ["plain", "check"],
  deleted: ["plain", "trash"],
};

export function StatusBadge({ status }: { status: Status }) {
  const [tone, icon] = looks[status] ?? ["plain", "dot"];
  return <Badge tone={tone} icon={icon}>{words(status)}</Badge>;
}
