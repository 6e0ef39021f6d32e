// Before the terminal begins: where it connects to, in which colours, and what this tab was talking about.
"use strict";

const KEPT = "weft-conversation"; // of this tab: another tab is another conversation
const FULL = 1013; // RFC 6455 and its registry: try again later
const LOOK_AGAIN_MS = 30000;

const Connection = window.WebSocket;
window.WebSocket = class extends Connection {
  constructor(address) {
    const url = new URL(address);
    url.searchParams.set("theme", matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
    const kept = sessionStorage.getItem(KEPT);
    if (kept) url.searchParams.set("conversation", kept);
    super(url);
    this.addEventListener("message", (event) => {
      if (typeof event.data !== "string") return this.showFocus();
      const [kind, value] = JSON.parse(event.data);
      if (kind === "conversation") sessionStorage.setItem(KEPT, value);
    });
    this.addEventListener("close", (event) => {
      const reason = event.reason || (event.code === 1000 ? "You left it." : "The connection was lost.");
      document.getElementById("ended-reason").textContent = reason;
      document.getElementById("continue").hidden = !sessionStorage.getItem(KEPT);
      if (event.code === FULL) {
        document.getElementById("ended-title").textContent = "Every place is taken";
        document.getElementById("ended-reason").textContent = `${reason} This page looks again by itself.`;
        document.getElementById("anew").textContent = "Look again now";
        setTimeout(() => location.reload(), LOOK_AGAIN_MS);
      }
    });
  }

  // Keys and focus before the connection stands, or after it has ended, are for nobody.
  send(data) {
    if (this.readyState === Connection.OPEN) super.send(data);
  }

  // The program begins as if it were in the background; with its first picture it hears that it is not.
  showFocus() {
    if (this.shown || !document.body.classList.contains("-first-byte")) return;
    this.shown = true;
    if (document.hasFocus()) this.send(JSON.stringify(["focus"]));
  }
};

// A file that was asked for is kept where downloads go; it needs no window of its own.
const open = window.open.bind(window);
window.open = (address, ...rest) => {
  if (String(address).startsWith(location.origin + "/download/")) {
    location.assign(address);
    return null;
  }
  return open(address, ...rest);
};

const terminal = document.getElementById("terminal");
terminal.dataset.sessionWebsocketUrl = location.origin.replace(/^http/, "ws") + "/ws";
// 80 columns fit a window of 800 pixels at 16; a narrower one gets smaller letters before it loses columns.
terminal.dataset.fontSize = String(Math.max(12, Math.min(16, Math.floor(innerWidth / 50))));
