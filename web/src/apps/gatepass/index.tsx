import type { AppModule } from "..";
import { Gate } from "./Gate";
import { Passes } from "./Passes";
import { Talk } from "./Talk";
import "./gatepass.css";

export const pages: AppModule["pages"] = [
  { path: "", title: "Passes", element: <Passes /> },
  { path: "gate", title: "Gate", element: <Gate />, roles: ["gate"] },
  { path: "chat", title: "Chat", element: <Talk /> },
];
