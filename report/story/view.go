package story

import (
	"embed"
	"io/fs"
	"slices"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/verdict"
	"locktorture/report/votes"
	"locktorture/report/words"
)

//go:embed assets
var assets embed.FS

// Templates returns what a page that shows a story parses beside its own: the template "story".
func Templates() fs.FS { return assets }

// A View is what the page shows of a story.
type View struct {
	Happens  string // the steps of the scenario, as it was written
	Seen     []string
	Lesson   string
	Source   string
	Drawings []drawing
	Steps    []string
	Dropped  int
	Unsaid   int  // rounds of messages that are not drawn
	Talks    bool // there are messages
}

// Of returns the story of a scripted run; nil for any other, which is too long to be told. A
// nil traffic is none.
func Of(run report.Run, res checker.Result, h history.History, traffic votes.Traffic) (*View, error) {
	if run.Scenario == "" {
		return nil, nil
	}
	s, err := Traced(run, res, h, traffic)
	if err != nil {
		return nil, err
	}
	return &View{Happens: words.Clients(run.Happens), Seen: seen(run, res), Lesson: words.Clients(run.Lesson), Source: run.Source,
		Drawings: []drawing{s.draw(wideStory), s.draw(narrowStory)}, Steps: s.Steps(), Dropped: s.dropped, Unsaid: s.unsaid, Talks: s.talks()}, nil
}

// talks reports whether there are messages among the rows.
func (s Story) talks() bool {
	return slices.ContainsFunc(s.events, func(e event) bool { return e.class == "said" || e.class == "votes" })
}

// seen returns what was seen in a play: the first anomaly of each kind, and what the script
// looked for.
func seen(run report.Run, res checker.Result) []string {
	var list []string
	for _, prop := range res.Properties {
		for _, k := range verdict.Kinds(res, prop) {
			list = append(list, words.Word(k.Kind)+": "+words.Sentence(k.First.Sentence))
		}
	}
	for _, s := range run.Noticed() {
		list = append(list, words.Clients(words.Sentence(s)))
	}
	if len(list) == 0 {
		return []string{"Nothing was violated."}
	}
	return list
}
