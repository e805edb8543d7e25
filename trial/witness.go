package trial

import (
	"errors"

	"locktorture/checker"
	"locktorture/report/votes"
)

// Witness returns the votes behind an anomaly with their times, one per line, as far as the
// recorded traffic shows them. servers lists all servers of the run; scripts maps the names of Lua
// scripts to their sources.
func Witness(dir *Dir, servers []string, a checker.Anomaly, scripts map[string]string) (lines []string, err error) {
	traffic, done, err := Traffic(dir, scripts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return votes.Witness(a, HistoryOf(dir.Path), servers, traffic)
}
