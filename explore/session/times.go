package session

import (
	"cmp"
	"time"

	"locktorture/internal/exit"
	"locktorture/nemesis/points/schedule"
	"locktorture/workloads"
)

// mostStretch bounds --stretch: a minute of rounds becomes a quarter of an hour.
const mostStretch = 16

// slower makes the times of all rounds those of real machines. It returns the schedule, and how
// long the phase with faults lasts at the least.
func (s *Confirm) slower(faults schedule.Schedule) (schedule.Schedule, time.Duration, error) {
	by := cmp.Or(s.Stretch, faults.Stretch())
	for _, t := range []*time.Duration{&s.run.TTL, &s.run.Duration, &s.run.Wait, &s.run.FreeWithin} {
		*t *= time.Duration(by)
	}
	for _, text := range []*string{&s.run.Hold, &s.run.Think} {
		if *text == "" {
			continue
		}
		times, err := workloads.ParseSpread(*text)
		if err != nil {
			return nil, 0, exit.Usage("--hold, --think: %v", err)
		}
		*text = times.Slower(by).String()
	}
	least := schedule.Widen(s.run.Duration)
	s.run.Duration = schedule.Phase(s.run.Duration)
	return faults.Slow(by).Wide(), least, nil
}
