package scenarios

import "fmt"

// A Finding is a failure of a published library, as observed on real servers. The ledger says how
// often (docs/ledger.md).
type Finding struct {
	Library    string `json:"library"`        // module path
	Version    string `json:"version"`        // version in which it was observed
	Failure    string `json:"failure"`        // the failure in one sentence
	Documented string `json:"documented"`     // documentation of the failure by the library's maintainers
	Link       string `json:"link,omitempty"` // link to that documentation
}

// String returns the finding in one line.
func (f Finding) String() string {
	text := fmt.Sprintf("%s %s: %s; upstream: %s", f.Library, f.Version, f.Failure, f.Documented)
	if f.Link != "" {
		text += " (" + f.Link + ")"
	}
	return text
}

// Upstream returns, in Markdown, the documentation of the failure by the library's maintainers.
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
