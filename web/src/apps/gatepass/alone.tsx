import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Gate } from "./Gate";
import "../../styles/tokens.css";
import "../../styles/base.css";
import "../../styles/parts.css";
import "./gatepass.css";

// The gate's page by itself, which the worker shows when the server cannot be reached:
// it asks for no session, because nobody is there to answer.
// Opened again, it asks the server first.
history.replaceState(null, "", location.pathname);
const root = document.getElementById("root");
if (!root) throw new Error("The page has no place for the gate.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <main className="gp-alone">
        <h1>Gate</h1>
        <Gate alone />
      </main>
    </QueryClientProvider>
  </StrictMode>,
);
