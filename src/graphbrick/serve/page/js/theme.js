// Loaded before the page is drawn, so that a chosen theme does not flash in the other one first.
"use strict";
try {
  const theme = localStorage.getItem("graphbrick-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be switched off in the browser; the page then follows the system.
}
