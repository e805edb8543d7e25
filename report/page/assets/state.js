// What everybody believed and had at the cursor, in words.
T.CALLS = [
  () => "does nothing", (v) => "waits for " + v.lock, (v) => "tries " + v.lock, (v) => "renews " + v.lock, (v) => "releases " + v.lock,
  (v) => "asks to have " + v.lock + " alone", (v) => "asks to share " + v.lock, (v) => "asks its lease of " + v.lock, (v) => "asks who leads " + v.lock,
  (v) => "reads from the " + v.store + " store", (v) => "writes to the " + v.store + " store", (v) => "writes to the " + v.store + " store on a condition",
  (v) => "sets the latch " + v.lock, (v) => "counts down " + v.lock, (v) => "waits at " + v.lock, () => "is dead",
];

T.PHASES = [() => "holds ", (ago) => "heard " + ago + " ago that it is over: ", (ago) => "learned " + ago + " ago that it is lost: ", (ago) => "has been releasing for " + ago + ": "];

T.exact = (us) => T.seconds(us, 1);

T.strikes = (f, name) => f.node.split(",").includes(name) || "c" + f.client === name;

T.doing = function (v, faults, t) {
  const text = T.CALLS[v.call](v) + ", for " + T.span(t - v.since);
  const stop = faults.find((f) => f.effect === "stopped" && T.strikes(f, v.name));
  return stop ? "paused for " + T.span(t - stop.from) + " (fault " + stop.n + "); " + text : text;
};

T.belief = function (v, t) {
  let text = T.PHASES[v.phase](T.span(t - v.since)) + "lease " + v.number + " of " + v.lock;
  if (v.share) text += ", " + v.share;
  if (v.token) text += ", token " + v.token;
  if (v.least === null) return text + ", no validity declared";
  if (v.least === Infinity) return text + ", valid without end";
  text += ", valid until " + T.exact(v.least) + " at least";
  if (t < v.least) return text + " (" + T.span(v.least - t) + " to go)";
  return text + (t < v.most ? " (may be over)" : " (over for " + T.span(t - v.most) + ")");
};

T.holder = function (h, t) {
  let text = h.client ? h.client + ", lease " + h.lease : "owner " + h.owner + ", granted to nobody yet";
  if (h.share) text += ", " + h.share;
  if (h.until === null) return text;
  if (h.until === Infinity) return text + ", without expiry";
  return text + (t < h.until ? ", expires at " + T.exact(h.until) + " (" + T.span(h.until - t) + " to go)" : ", expired " + T.span(t - h.until) + " ago");
};

T.by = (v, t) => "by " + v.by + (v.lease ? ", lease " + v.lease : "") + (v.token ? ", token " + v.token : "") + ", " + T.span(t - v.at) + " ago";

// stateRows are the tables of a state: title, what it rests on, heads, rows.
T.stateRows = function (s, t) {
  const all = T.stateAt(s, t), faults = T.faultsAt(s, t), of = (kind) => all.filter((v) => v.kind === kind);
  const less = (a, b) => (a < b ? -1 : a > b ? 1 : 0), byName = (a, b) => a.length - b.length || less(a, b);
  const order = (a, b) => byName(a.name, b.name) || byName(a.of, b.of), byStore = (a, b) => less(a.name, b.name);
  const leases = of(1), struck = (name) => faults.filter((f) => T.strikes(f, name)).map((f) => "fault " + f.n + ": " + f.kind).join(", ");
  return [
    { title: "Clients", rests: "from their calls and the answers to them", heads: ["client", "does", "believes"], rows: of(0).sort(order).map((v) =>
      [v.name, T.doing(v, faults, t), leases.filter((l) => l.name === v.name).map((l) => T.belief(l, t)).join("; ") || "holds nothing"]) },
    { title: "Servers", rests: "from the last recorded probe of each server; a probe that shows the same owner as the previous probe is not recorded", heads: ["server", "lock", "kept for", "probed", "in place"], rows: of(2).sort(order).map((v) =>
      [v.name, v.of, v.holders.map((h) => T.holder(h, t)).join("; ") || "nobody", T.span(t - v.seen) + " ago" + (v.took > 5000 ? ", answered after " + T.span(v.took) : ""), struck(v.name) || "no fault"]) },
    { title: "Stores", rests: "from the answers to writes", heads: ["store", "what", "is", "since"], rows: [
      ...of(4).sort(byStore).map((v) => [v.name, "mark", "token " + v.token, T.by({ ...v, token: "" }, t)]),
      ...of(3).sort(byStore).map((v) => [v.name, v.of ? v.key : v.key + " (of all other keys, the one written last)", v.value, T.by(v, t)])] },
    { title: "Faults in place", rests: "from the history", heads: ["fault", "target", "for", "what it did"], rows: faults.map((f) =>
      [f.n + ": " + f.kind, f.node || "c" + f.client, T.span(t - f.from), f.what]) },
  ];
};

T.MOST = 200;

T.part = function (p) {
  const box = T.el("div", undefined, "part"), title = T.el("h4", p.title + " ");
  title.append(T.el("small", p.rests));
  box.append(title);
  if (!p.rows.length) { box.append(T.el("p", "none")); return box; }
  const scroll = T.el("div", undefined, "scroll"), table = T.el("table"), head = T.el("tr"), body = T.el("tbody"), top = T.el("thead");
  scroll.tabIndex = 0; scroll.setAttribute("role", "region"); scroll.setAttribute("aria-label", p.title);
  for (const h of p.heads) { const th = T.el("th", h); th.scope = "col"; head.append(th); }
  for (const r of p.rows.slice(0, T.MOST)) {
    const tr = T.el("tr");
    r.forEach((text, i) => { const cell = T.el(i ? "td" : "th", text); if (!i) cell.scope = "row"; tr.append(cell); });
    body.append(tr);
  }
  top.append(head); table.append(top, body); scroll.append(table); box.append(scroll);
  if (p.rows.length > T.MOST) box.append(T.el("p", "… " + (p.rows.length - T.MOST) + " more"));
  return box;
};

T.showState = function (s) {
  const box = document.getElementById("tl-state"), t = s.cursor;
  box.hidden = t === null;
  if (t === null) return;
  const times = T.log(s).times, n = T.upTo(times, t);
  document.getElementById("tl-at").textContent = "State at " + T.exact(t) + (times[n - 1] === t ? ", event " + n + " of " + times.length : ", after event " + n + " of " + times.length);
  document.getElementById("tl-rests").textContent = T.rests(s, t);
  document.getElementById("tl-parts").replaceChildren(...T.stateRows(s, t).map(T.part));
};

T.rests = function (s, t) {
  const detail = s.data.cursor.detail;
  return "Events at exactly this time are included." + (detail && !detail.some((d) => d.From <= t && t <= d.To) ? " This stretch of the run is only summarized, so the cursor moves from checkpoint to checkpoint." : "");
};
