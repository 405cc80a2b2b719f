import { Route, Switch } from "wouter";
import { useHas } from "../../hooks/session";
import { Page } from "../../parts/Page";
import { Empty } from "../../parts/states";
import { Tabs, type Tab } from "../../parts/Tabs";
import { Account } from "./Account";
import { Health } from "./Health";
import { Schedules } from "./Schedules";
import { Tokens } from "./Tokens";
import { Users } from "./Users";
import { Webhooks } from "./Webhooks";

/** What can be set up, as far as one's role reaches. */
export default function Settings() {
  const watches = useHas("admin", "auditor");
  const tabs: Tab[] = [
    { href: "/settings", title: "Your account" },
    { href: "/settings/tokens", title: "Tokens" },
    ...(watches ? [{ href: "/settings/users", title: "Users" }] : []),
    { href: "/settings/schedules", title: "Schedules" },
    ...(watches ? [{ href: "/settings/webhooks", title: "Webhooks" }, { href: "/settings/health", title: "Models and health" }] : []),
  ];
  return (
    <Page title="Settings">
      <Tabs label="Parts of the settings" tabs={tabs} />
      <Switch>
        <Route path="/settings"><Account /></Route>
        <Route path="/settings/tokens"><Tokens /></Route>
        <Route path="/settings/schedules"><Schedules /></Route>
        {watches && <Route path="/settings/users"><Users /></Route>}
        {watches && <Route path="/settings/webhooks"><Webhooks /></Route>}
        {watches && <Route path="/settings/health"><Health /></Route>}
        <Route><div className="panel"><Empty icon="ban" title="There is no such page for your role." /></div></Route>
      </Switch>
    </Page>
  );
}
