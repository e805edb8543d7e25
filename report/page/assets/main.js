// Wires the page up.
(function () {
  const started = performance.now();
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const key of ["lanes", "locks", "texts", "faults", "anomalies"]) data[key] = data[key] || [];
  const get = (id) => document.getElementById(id);
  const s = {
    data, items: T.decodeItems(data), cells: T.decodeCells(data), lanes: data.lanes.map((_, i) => i), view: { from: 0, to: data.end },
    filter: { client: "", lock: 0, anomaly: "", kinds: {} }, anomaly: 0, leases: null, cursor: null, incident: 0,
    canvas: get("tl-canvas"), map: get("tl-map"), scroll: get("tl-scroll"), space: get("tl-space"), top: 0, width: 0, height: 0, gutter: T.GUTTER,
  };
  T.state = s;

  function hatch(ground, line, width) {
    const tile = T.el("canvas");
    tile.width = tile.height = 6;
    const c = tile.getContext("2d");
    c.fillStyle = ground; c.fillRect(0, 0, 6, 6);
    c.strokeStyle = line; c.lineWidth = width; c.globalAlpha = 0.75;
    c.beginPath(); c.moveTo(-1, 7); c.lineTo(7, -1); c.stroke();
    return s.canvas.getContext("2d").createPattern(tile, "repeat");
  }

  function theme() {
    s.colors = T.colors();
    s.hatch = hatch(s.colors.beyond, s.colors.bg, 1.2);
    s.openHatch = hatch(s.colors.bg, s.colors.open, 2);
  }

  function options(id, values, name) {
    for (const [value, text] of values) { const o = T.el("option", text); o.value = value; get(id).append(o); }
    get(id).addEventListener("change", (e) => T.setFilter(s, name, e.target.value));
  }
  options("f-client", data.lanes.map((n, i) => [i, n]), "client");
  options("f-lock", data.locks.map((n, i) => [i, n]).slice(1), "lock");
  options("f-anomaly", [...new Set(data.anomalies.map((a) => a.kind))].map((k) => [k, k]), "anomaly");
  for (const box of document.querySelectorAll("input[data-kind]")) {
    s.filter.kinds[box.dataset.kind] = box.checked;
    box.addEventListener("change", () => { s.filter.kinds[box.dataset.kind] = box.checked; T.refresh(s); });
  }

  const click = (id, f) => get(id).addEventListener("click", f);
  click("tl-in", () => T.zoom(s, 0.5));
  click("tl-out", () => T.zoom(s, 2));
  click("tl-left", () => T.pan(s, -0.5));
  click("tl-right", () => T.pan(s, 0.5));
  click("tl-all", () => T.setView(s, 0, data.end));
  click("tl-prev", () => T.step(s, -1));
  click("tl-next", () => T.step(s, 1));
  click("cu-prev", () => T.moveCursor(s, -1));
  click("cu-next", () => T.moveCursor(s, 1));
  click("in-prev", () => T.stepIncident(s, -1));
  click("in-next", () => T.stepIncident(s, 1));
  get("cu-prev").disabled = get("cu-next").disabled = !data.cursor.count;
  get("in-prev").disabled = get("in-next").disabled = !(data.cursor.incidents || []).length;
  const none = data.anomalies.length === 0;
  get("tl-prev").disabled = get("tl-next").disabled = get("f-anomaly").disabled = none;

  document.addEventListener("click", (e) => {
    const b = e.target.closest && e.target.closest("button.jump");
    if (!b) return;
    T.jump(s, +b.dataset.anomaly);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    get("timeline").scrollIntoView({ behavior: still ? "auto" : "smooth" });
    s.canvas.focus({ preventScroll: true });
  });

  const keys = {
    ArrowLeft: (e) => (e.shiftKey ? T.pan(s, -0.2) : T.moveCursor(s, -1)), ArrowRight: (e) => (e.shiftKey ? T.pan(s, 0.2) : T.moveCursor(s, 1)), "+": () => T.zoom(s, 0.6), "=": () => T.zoom(s, 0.6), "-": () => T.zoom(s, 1 / 0.6),
    0: () => T.setView(s, 0, data.end), n: () => T.stepIncident(s, 1), p: () => T.stepIncident(s, -1), Escape: () => T.setCursor(s, null),
    ArrowUp: () => s.scroll.scrollBy(0, -60), ArrowDown: () => s.scroll.scrollBy(0, 60),
  };
  s.canvas.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    keys[e.key](e);
    e.preventDefault();
  });
  T.pointers(s);
  s.scroll.addEventListener("scroll", () => T.refresh(s));
  get("tl-list").addEventListener("toggle", () => T.refresh(s));

  theme();
  T.draw(s);
  T.refresh(s);
  const chart = () => get("charts") ? T.charts(data) : []; // a script has none
  let charts = chart();
  T.onTheme(() => { theme(); T.draw(s); charts = chart(); });
  let width = innerWidth;
  addEventListener("resize", () => { T.refresh(s); if (innerWidth !== width) { width = innerWidth; T.fitCharts(charts); } });
  addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("main details:not(#tl-list):not(.more)")) d.open = true; });
  T.ready = performance.now() - started;
})();
