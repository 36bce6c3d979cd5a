import "@xyflow/react/dist/base.css";
import "./page.css";
import { createRoot } from "react-dom/client";
import { App } from "./App";

createRoot(document.getElementById("page")!).render(<App />);
