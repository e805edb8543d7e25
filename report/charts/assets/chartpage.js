// Draws the lines of a page of charts.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colors = ["hold", "beyond", "good", "calls", "fault", "fenced", "refused", "dim"];
  const dashes = [undefined, [6, 3], [2, 2]];
  function draw() {
    return data.map((c, i) => T.chart("line-" + i, c.at, c.series.map((s, n) => ({
      name: s.name, values: s.values, color: colors[n % colors.length], dash: dashes[Math.floor(n / colors.length) % dashes.length], points: true,
    })), { name: c.x, x: (v) => String(v), log: c.log })).filter((u) => u);
  }
  let charts = draw();
  T.onTheme(() => { charts = draw(); });
  addEventListener("resize", () => T.fitCharts(charts));
})();
