package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	"locktorture/internal/exit"
)

// A search that has found and kept a finding exits with 1, whether or not real servers can repeat it.
func TestAfterRounds(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		said string
	}{
		{nil, exit.Violated, ""},
		{exit.Silent(exit.Violated), exit.Violated, ""},
		{exit.Usage("on real servers etcd-election has no options"), exit.Violated, Unconfirmed + ": on real servers etcd-election has no options"},
		{exit.Silent(exit.Interrupted), exit.Violated, ""},
		{exit.With(exit.Interrupted, context.Canceled), exit.Violated, Unconfirmed + ": context canceled"},
		{exit.Broken(errors.New("disk full")), exit.Harness, ""},
	} {
		var said []string
		err := afterRounds(c.err, func(texts ...string) { said = append(said, texts...) })
		if ended := new(exit.Error); !errors.As(err, &ended) || ended.Code != c.code || strings.Join(said, "\n") != c.said {
			t.Errorf("after %v: %v, said %q", c.err, err, said)
		}
	}
}
