package page

import (
	"encoding/base64"

	"locktorture/report/state"
	"locktorture/report/words"
	"locktorture/timeline"
)

// Bounds of what the cursor knows.
const (
	maxCursorItems = 100_000 // items whose changes are kept one by one, as the crowd counts them
	maxCursorText  = 1 << 20 // bytes of names and values
	checkpoints    = 400     // of a run that is not kept one by one
	maxSubjects    = 2000
)

// cursorData is what the page's cursor goes by: a log of what changed and when. Each change
// gives a subject its new value.
type cursorData struct {
	Subjects []cursorSubject `json:"subjects"`
	Texts    []string        `json:"texts"`
	Count    int             `json:"count"`
	Log      string          `json:"log"` // base64, see change
	// Detail lists the stretches in which every change is kept. Outside of them one change
	// stands for a whole stretch. null: every change is kept everywhere.
	Detail    []stretch      `json:"detail"`
	Incidents []incidentMark `json:"incidents"`
}

// A cursorSubject is a subject with its kind, whose number the script knows.
type cursorSubject struct {
	Kind state.Kind `json:"kind"`
	Name string     `json:"name"`
	Of   string     `json:"of,omitempty"`
}

// An incidentMark is where the cursor goes for an incident.
type incidentMark struct {
	Number  int   `json:"number"`
	Time    int64 `json:"time"`    // µs
	Anomaly int   `json:"anomaly"` // its witness; 0: not listed
}

// A cursorLog writes down what a tracker tells.
type cursorLog struct {
	cursorData
	tracker *state.Tracker
	texts   *table
	bytes   []byte
	before  int64 // µs, of the last change
	now     int64 // µs, of the last entry
	next    int64 // µs, of the next checkpoint
	width   int64 // µs, between checkpoints
	late    map[int]bool
	order   []int // the keys of late, as they came
}

// newCursorLog keeps all changes, or those near the moments, in µs.
func newCursorLog(v *overview, moments []int64) *cursorLog {
	c := &cursorLog{tracker: state.NewTracker(), texts: newTable(maxCursorText), late: map[int]bool{}}
	c.texts.index("…") // what stands for a text for which there is no room
	end := v.end/1000 + 1
	c.width = end/checkpoints + 1
	if v.crowd.total > maxCursorItems {
		c.Detail = append([]stretch{}, v.crowd.windows(moments, end, maxCursorItems)...) // none is not everywhere
	}
	return c
}

func (c *cursorLog) entry(e timeline.Entry) {
	at := e.Time / 1000
	near := c.Detail == nil || inside(item{start: at}, c.Detail)
	if near || at >= c.next {
		c.flush()
		c.next = at - at%c.width + c.width
	}
	c.now = at
	for _, subject := range c.tracker.Entry(e) {
		switch {
		case subject >= maxSubjects:
		case near:
			c.write(subject)
		case !c.late[subject]:
			c.late[subject] = true
			c.order = append(c.order, subject)
		}
	}
}

// flush writes what has changed since the last checkpoint, as of the last entry.
func (c *cursorLog) flush() {
	for _, subject := range c.order {
		c.write(subject)
	}
	c.order = c.order[:0]
	clear(c.late)
}

func (c *cursorLog) data(incidents []incidentView) cursorData {
	c.flush()
	for _, s := range c.tracker.Subjects[:min(maxSubjects, len(c.tracker.Subjects))] {
		c.Subjects = append(c.Subjects, cursorSubject{s.Kind, words.Word(s.Name), words.Word(s.Of)})
	}
	for _, i := range incidents {
		c.Incidents = append(c.Incidents, incidentMark{i.Number, i.Witness.Time / 1000, i.Link})
	}
	c.Texts, c.Log = c.texts.list, base64.StdEncoding.EncodeToString(c.bytes)
	return c.cursorData
}
