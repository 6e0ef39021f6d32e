// The terminal measures its font when it opens, so the font has to be there first; the keys are the terminal's at once.
"use strict";

const begin = window.onload;
window.onload = async (event) => {
  await Promise.all(["", "bold ", "italic "].map((face) => document.fonts.load(face + '16px "Roboto Mono"')));
  begin.call(window, event);
  const keys = document.querySelector(".xterm-helper-textarea");
  keys.focus();
  addEventListener("focus", () => keys.focus());
};

const anew = () => location.assign("/");
document.getElementById("continue").addEventListener("click", anew);
document.getElementById("anew").addEventListener("click", () => {
  sessionStorage.removeItem(KEPT);
  anew();
});
