package trial

import (
	"errors"

	"locktorture/checker"
	"locktorture/report/votes"
)

// Witness says of an anomaly of a run in a directory who voted when, as far as the recorded
// traffic tells: one line each, none where there was no vote. Servers are all of the run; scripts
// are the sources of Lua scripts by their names.
func Witness(dir *Dir, servers []string, a checker.Anomaly, scripts map[string]string) (lines []string, err error) {
	traffic, done, err := Traffic(dir, scripts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return votes.Witness(a, HistoryOf(dir.Path), servers, traffic)
}
