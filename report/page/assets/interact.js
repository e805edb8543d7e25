// Moving, zooming, choosing and filtering.
T.setView = function (s, from, to) {
  const end = s.data.end, wide = Math.min(Math.max(to - from, 20), end);
  from = Math.max(0, Math.min(from, end - wide));
  s.view = { from, to: from + wide };
  T.refresh(s);
};

T.zoom = function (s, factor, x) {
  const t = x === undefined ? (s.view.from + s.view.to) / 2 : T.time(s, x);
  T.setView(s, t - (t - s.view.from) * factor, t - (t - s.view.from) * factor + (s.view.to - s.view.from) * factor);
};

T.pan = function (s, share) {
  const d = (s.view.to - s.view.from) * share;
  T.setView(s, s.view.from + d, s.view.to + d);
};

// refresh draws once for all changes of a frame.
T.refresh = function (s) {
  if (s.queued) return;
  s.queued = true;
  requestAnimationFrame(() => {
    s.queued = false;
    T.draw(s);
    document.getElementById("tl-range").textContent = "In view: " + T.seconds(s.view.from, (s.view.to - s.view.from) / 100) + " to " + T.seconds(s.view.to, (s.view.to - s.view.from) / 100) + " (" + T.span(s.view.to - s.view.from) + ")";
    if (document.getElementById("tl-list").open) T.list(s);
  });
};

// pick finds what is under a point: an anomaly's mark, else the nearest item.
T.pick = function (s, x, y) {
  if (x < s.gutter) return null;
  if (y < T.HEAD || s.filter.kinds.anomaly) {
    let best = null, near = y < T.HEAD ? 9 : 3;
    for (const a of s.data.anomalies) {
      const d = Math.abs(T.x(s, a.time) - x);
      if (T.showsAnomaly(s, a) && d < near) { best = a; near = d; }
    }
    if (best) return { anomaly: best };
    if (y < T.HEAD) return T.faultAt(s, x);
  }
  const lane = s.lanes[Math.floor((y - T.HEAD + s.top) / T.laneHeight(s))];
  if (lane === undefined) return null;
  const it = s.items, t = T.time(s, x), slack = 5 * (s.view.to - s.view.from) / (s.width - s.gutter);
  let best = -1, rank = Infinity;
  for (let i = T.lowerBound(it, lane, t - it.longest[lane] - slack); i < it.to[lane] && it.start[i] <= t + slack; i++) {
    if (it.start[i] + it.dur[i] < t - slack || !T.shows(s, i)) continue;
    // Marks lie above bars: the shorter one wins, then the nearer one.
    const r = it.dur[i] + Math.abs(it.start[i] - t) / 10;
    if (r <= rank) { best = i; rank = r; }
  }
  return best >= 0 ? { item: best } : T.faultAt(s, x);
};

T.faultAt = function (s, x) {
  const t = T.time(s, x), f = s.filter.kinds.fault && s.data.faults.find((b) => b.since <= t && t <= b.to);
  return f ? { fault: f } : null;
};

T.show = function (s, hit) {
  const info = document.getElementById("tl-info");
  if (!hit) return;
  info.replaceChildren();
  if (hit.item !== undefined) {
    const d = T.describe(s, hit.item), p = T.el("p");
    p.append(T.el("b", d.who + " " + d.what));
    info.append(p, T.el("p", "at " + T.seconds(d.from, 1) + (d.dur ? ", for " + T.span(d.dur) : "") + (d.detail ? " – " + d.detail : "")));
  } else if (hit.fault) {
    const f = hit.fault, p = T.el("p");
    p.append(T.el("b", "fault " + f.n + ": " + f.kind + " on " + (f.node || "c" + f.client)));
    info.append(p, T.el("p", (f.since < f.from ? T.seconds(f.since, 1) + " (its effect was observed at " + T.seconds(f.from, 1) + ")" : T.seconds(f.from)) + " to " + T.seconds(f.to) + (f.healed ? "" : " (not healed in the history)") + " – " + f.what));
  } else T.witness(info, hit.anomaly.id);
};

// witness shows the anomaly's own part of the page again, beside the timeline.
T.witness = function (info, id) {
  const li = document.getElementById("anomaly-" + id);
  if (!li) return;
  const copy = li.cloneNode(true), where = copy.querySelector(".where"), drawn = document.querySelector("#drawing-" + id + " figcaption p");
  if (where && drawn) where.replaceWith(drawn.textContent); // which is far above
  for (const child of copy.childNodes) {
    if (child.querySelector) { for (const b of child.querySelectorAll("button")) b.remove(); }
    if (child.tagName === "DETAILS") child.open = true;
    info.append(child.cloneNode(true));
  }
};

// jump brings an anomaly into view and shows its witness.
T.jump = function (s, id) {
  const a = s.data.anomalies.find((b) => b.id === id);
  if (!a) return;
  s.anomaly = id;
  s.incident = ((s.data.cursor.incidents || []).find((i) => i.anomaly === id) || { number: 0 }).number;
  s.leases = new Set(a.leases);
  if (s.filter.anomaly && s.filter.anomaly !== a.kind) T.setFilter(s, "anomaly", "");
  if (s.filter.client !== "" && !a.lanes.includes(+s.filter.client)) T.setFilter(s, "client", "");
  const all = T.extent(s, a), around = Math.max(all.to - all.from, 1000) * 0.15;
  T.setView(s, all.from - around, all.to + around);
  T.show(s, { anomaly: a });
  T.setCursor(s, a.time);
};

// extent is how far the leases of an anomaly reach, unless one of them is so
// long that nothing else could be seen.
T.extent = function (s, a) {
  const it = s.items, near = Math.max(3 * (a.to - a.from), 50000);
  let from = a.from, to = a.to;
  for (const lane of a.lanes) {
    for (let i = it.from[lane]; i < it.to[lane]; i++) {
      if (!it.lease[i] || !s.leases.has(it.lease[i])) continue;
      if (a.from - it.start[i] < near) from = Math.min(from, it.start[i]);
      if (it.start[i] + it.dur[i] - a.to < near) to = Math.max(to, it.start[i] + it.dur[i]);
    }
  }
  return { from, to };
};

T.step = function (s, by) {
  const list = s.data.anomalies.filter((a) => T.showsAnomaly(s, a)).sort((a, b) => a.time - b.time);
  if (!list.length) return;
  const at = list.findIndex((a) => a.id === s.anomaly);
  T.jump(s, list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length].id);
};

T.setFilter = function (s, name, value) {
  s.filter[name] = name === "lock" ? +value : value;
  document.getElementById("f-" + name).value = value;
  s.lanes = s.data.lanes.map((_, i) => i).filter((i) => s.filter.client === "" || i === +s.filter.client);
  T.refresh(s);
};

// list writes what is in view as a table, for those who cannot see it.
T.list = function (s) {
  const body = document.querySelector("#tl-list tbody"), it = s.items, rows = [];
  for (const lane of s.lanes) {
    for (let i = T.lowerBound(it, lane, s.view.from - it.longest[lane]); i < it.to[lane] && it.start[i] <= s.view.to && rows.length < 2000; i++) {
      if (it.start[i] + it.dur[i] >= s.view.from && T.shows(s, i)) rows.push(T.describe(s, i));
    }
  }
  rows.sort((a, b) => a.from - b.from);
  body.replaceChildren(...rows.slice(0, 200).map((d) => {
    const tr = T.el("tr");
    tr.append(T.el("td", T.seconds(d.from, 1), "num"), T.el("td", T.seconds(d.from + d.dur, 1), "num"), T.el("td", d.who), T.el("td", d.what), T.el("td", d.detail));
    return tr;
  }));
  if (rows.length > 200) { const tr = T.el("tr"), td = T.el("td", "… more: zoom in"); td.colSpan = 5; tr.append(td); body.append(tr); }
};
