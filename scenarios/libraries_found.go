package scenarios

import "fmt"

// A Finding is a failure of a library that people use, as it was seen in rounds on real
// servers.
type Finding struct {
	Library    string `json:"library"`        // module path
	Version    string `json:"version"`        // in which it was seen
	Failure    string `json:"failure"`        // what goes wrong, in a sentence
	Shown      int    `json:"shown"`          // rounds in which it was seen
	Of         int    `json:"of"`             // rounds
	Documented string `json:"documented"`     // whether those who make the library tell of it
	Link       string `json:"link,omitempty"` // to what they say
}

// String returns the finding in one line.
func (f Finding) String() string {
	text := fmt.Sprintf("%s %s: %s; %d of %d rounds; upstream: %s", f.Library, f.Version, f.Failure, f.Shown, f.Of, f.Documented)
	if f.Link != "" {
		text += " (" + f.Link + ")"
	}
	return text
}

// Upstream says in Markdown what those who make the library tell of it.
func (f Finding) Upstream() string {
	if f.Link == "" {
		return f.Documented
	}
	return fmt.Sprintf("[%s](%s)", f.Documented, f.Link)
}

// Findings returns the cases that show the failure of a library.
func (s Scenario) Findings() []Case {
	var out []Case
	for _, c := range s.Cases {
		if c.Found != nil {
			out = append(out, c)
		}
	}
	return out
}
