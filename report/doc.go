// Package report shows what a run found: as text for a terminal, as one JSON
// object and as JUnit XML for a CI server. It judges nothing: the verdict is the checker's,
// and every word of it is passed on unchanged except that characters which
// could harm a terminal or a page are made visible.
//
// What a reader opens in a browser is made next door: page is the report of one run, story
// tells a scripted one, scorecard sums up many, charts shows measurements, serve lists the
// runs of a directory. They share words, verdict, frame and diagram.
//
// # Reading order
//
// Read first run.go (what a report is told of a run), text.go and textparts.go; json.go and
// junit.go are the same for programs. Then page/page.go.
package report
