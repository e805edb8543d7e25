package scenarios

import "fmt"

// A Finding is a failure of a library that people use, as it was seen in rounds on real servers.
type Finding struct {
	Library string // module path
	Version string // in which it was seen
	Failure string // what goes wrong, in a sentence
	Shown   int    // rounds in which it was seen
	Of      int    // rounds
	// Documented says whether those who make the library tell of it, and where.
	Documented string
	Link       string // to what they say; "" if nothing was found
}

// String is the finding in one line.
func (f Finding) String() string {
	text := fmt.Sprintf("%s %s: %s; seen in %d of %d rounds; %s", f.Library, f.Version, f.Failure, f.Shown, f.Of, f.Documented)
	if f.Link != "" {
		text += " (" + f.Link + ")"
	}
	return text
}

// Findings are the failures of libraries that the scenario shows, by case.
func (s Scenario) Findings() []Case {
	var out []Case
	for _, c := range s.Cases {
		if c.Found != nil {
			out = append(out, c)
		}
	}
	return out
}
