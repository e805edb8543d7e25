package play

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"locktorture/history"
	"locktorture/internal/exit"
	"locktorture/report/story"
	"locktorture/scenarios"
	"locktorture/scenarios/record"
	"locktorture/trial"
)

// Pages writes the page of each named scenario, or of all, with a drawing of a play of its first
// case. With keep it keeps existing drawings, and plays nothing for them. begin is called before
// each play.
func (p *Player) Pages(ctx context.Context, dir string, names []string, keep bool, begin func(scenario string)) error {
	for _, n := range scenarios.All() {
		if len(names) > 0 && !slices.Contains(names, n.Name) {
			continue
		}
		file := filepath.Join(dir, n.Name+".md")
		drawing, drawn := record.DrawingOf(file)
		if !keep || !drawn {
			begin(n.Name)
			var err error
			if drawing, err = p.draw(ctx, Play{n, n.Cases[0]}); err != nil {
				return err
			}
		}
		if err := os.WriteFile(file, []byte(record.Page(n, drawing)), 0o644); err != nil {
			return exit.Broken(err)
		}
	}
	return nil
}

// draw plays a case and draws its history.
func (p *Player) draw(ctx context.Context, c Play) (string, error) {
	r, err := p.Once(ctx, c)
	if err = errors.Join(err, r.Write()); err != nil {
		return "", err
	}
	h, _, err := history.ReadFile(trial.HistoryOf(r.Dir.Path).Name)
	if err != nil {
		return "", exit.Broken(err)
	}
	return story.New(r.Run, r.Result, h).Mermaid(), nil
}
