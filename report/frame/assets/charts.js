// Charts over time, drawn by uPlot, with the faults as bands.
T.bands = function (data, colors) {
  return {
    hooks: {
      drawClear: [(u) => {
        u.ctx.save();
        u.ctx.fillStyle = colors()["fault-band"];
        for (const f of T.united(data.faults, data.end / 1000)) {
          const x1 = u.valToPos(f.from / 1e6, "x", true), x2 = u.valToPos(f.to / 1e6, "x", true);
          const lo = Math.max(u.bbox.left, x1), hi = Math.min(u.bbox.left + u.bbox.width, Math.max(x2, x1 + 1));
          if (hi > lo) u.ctx.fillRect(lo, u.bbox.top, hi - lo, u.bbox.height);
        }
        u.ctx.restore();
      }],
    },
  };
};

T.chart = function (id, xs, lines, options) {
  const box = document.getElementById(id);
  box.replaceChildren();
  if (!xs.length || !lines.some((l) => l.values.some((v) => v !== null))) {
    box.append(T.el("p", "Nothing was measured.", "empty"));
    return null;
  }
  const colors = T.colors();
  const axis = { stroke: colors.dim, grid: { stroke: colors.grid, width: 1 }, ticks: { stroke: colors.grid, width: 1 }, font: "12px system-ui, sans-serif" };
  return new uPlot({
    width: Math.max(240, box.clientWidth), height: 210,
    scales: { x: { time: false }, y: { distr: options.log ? 3 : 1, range: options.log ? undefined : (u, lo, hi) => [0, Math.max(hi * 1.05, 1)] } },
    axes: [{ ...axis, values: (u, vs) => vs.map(options.x) }, { ...axis, size: 56, values: (u, vs) => vs.map((v) => (v === null ? "" : String(+v.toPrecision(3)))) }],
    series: [{ label: options.name, value: (u, v) => (v === null ? "–" : options.x(v)) }, ...lines.map((l) => ({
      label: l.name, stroke: colors[l.color], width: 1.6, dash: l.dash, spanGaps: false, points: { show: l.points, size: 4 },
      value: (u, v) => (v === null ? "–" : String(+v.toPrecision(3))),
    }))],
    plugins: options.bands ? [options.bands] : [],
  }, [xs, ...lines.map((l) => l.values)], box);
};

T.charts = function (data) {
  const s = data.series, bands = T.bands(data, T.colors), time = { name: "time", x: (v) => +v.toFixed(2) + " s", bands };
  const made = [
    T.chart("chart-rate", s.x || [], [{ name: "grants/s", values: s.grants || [], color: "hold" }, { name: "refused/s", values: s.refused || [], color: "refused", dash: [5, 3] }], time),
    T.chart("chart-ops", s.x || [], [{ name: "operations/s", values: s.ops || [], color: "calls" }], time),
    T.chart("chart-latency", s.x || [], [{ name: "p50", values: s.p50 || [], color: "good", points: true }, { name: "p90", values: s.p90 || [], color: "hold", dash: [5, 3], points: true }, { name: "p99", values: s.p99 || [], color: "beyond", dash: [2, 2], points: true }], { ...time, log: true }),
    T.chart("chart-quantiles", s.qx || [], [{ name: "latency", values: s.qy || [], color: "hold", points: true }], { name: "quantile", x: (v) => +(v * 100).toFixed(1) + " %", log: true }),
  ];
  return made.filter((u) => u);
};

T.fitCharts = function (charts) {
  for (const u of charts) u.setSize({ width: Math.max(240, u.root.parentElement.clientWidth), height: 210 });
};
