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

// slower stretches and widens the times of the rounds to those of real machines. It returns
// the schedule with such times, and the shortest duration of the phase with faults.
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
