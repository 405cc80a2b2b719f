import type { AppModule } from "..";
import { Overview, ReceiverPage, ReportList, ReportPage } from "./Reports";
import { SurgeOfCase } from "./Surge";
import "./airshed.css";

export const pages: AppModule["pages"] = [
  { path: "", title: "Surge", element: <Overview /> },
  { path: "reports", title: "Reports", element: <ReportList /> },
  { path: "reports/:id", title: "Report", element: <ReportPage /> },
  { path: "receiver", title: "Receiver", element: <ReceiverPage /> },
];

export const caseParts: AppModule["caseParts"] = [{ path: "surge", title: "Map and what-if", place: "tab", element: SurgeOfCase }];
