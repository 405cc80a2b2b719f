import type { AppModule } from "..";
import { MailPart, Standing } from "./Mail";
import { Outbox } from "./Outbox";
import { Overview } from "./Overview";
import { Van } from "./Van";
import "./poolpatrol.css";

export const pages: AppModule["pages"] = [
  { path: "", title: "Programme", element: <Overview /> },
  { path: "outbox", title: "Outbox", element: <Outbox /> },
  { path: "van/:id", title: "Van", element: <Van /> },
];

export const caseParts: AppModule["caseParts"] = [
  { path: "standing", title: "Standing", place: "overview", element: Standing },
  { path: "mail", title: "Mail", place: "tab", element: MailPart },
];
