"use strict";
// T is the one global of the page's own scripts.
const T = {};

// Colours are those of the style sheet, so that canvas and page agree.
T.colors = function () {
  const style = getComputedStyle(document.documentElement);
  const out = {};
  for (const name of ["bg", "panel", "ink", "dim", "line", "wait", "hold", "open", "beyond", "plain", "fenced", "refused", "calls", "fault", "fault-band", "anomaly", "grid", "lane", "link", "good"]) {
    out[name] = style.getPropertyValue("--" + name).trim();
  }
  return out;
};

// onTheme calls f whenever the colours change: dark mode, and printing,
// which is always light.
T.onTheme = function (f) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", f);
  addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; f(); });
  addEventListener("afterprint", () => { delete document.documentElement.dataset.theme; f(); });
};

T.seconds = function (us, step) {
  const digits = step === undefined ? 3 : Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / 1e6))));
  return (us / 1e6).toFixed(digits) + " s";
};

T.span = function (us) {
  if (us >= 1e6) return +(us / 1e6).toPrecision(3) + " s";
  if (us >= 1e3) return +(us / 1e3).toPrecision(3) + " ms";
  return Math.round(us) + " µs";
};

T.el = function (name, text, cls) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (cls) e.className = cls;
  return e;
};
