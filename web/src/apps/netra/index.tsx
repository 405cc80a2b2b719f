import type { AppModule } from "..";
import { Board } from "./Board";
import { Briefing } from "./Briefing";
import { District } from "./District";
import { Method, Oversight } from "./Method";
import { Situation } from "./Situation";
import "./netra.css";

export const pages: AppModule["pages"] = [
  { path: "", title: "Districts", element: <Board /> },
  { path: "situation", title: "Situation", element: <Situation /> },
  { path: "situation/:state", title: "Situation", element: <Situation /> },
  { path: "district/:state/:district", title: "District", element: <District /> },
  { path: "briefing/:state/:district", title: "Briefing", element: <Briefing /> },
  { path: "methodology", title: "Methodology", element: <Method /> },
  { path: "oversight", title: "Oversight", element: <Oversight /> },
];
