//go:build linux

package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/mysql"
)

// After a release without an answer the next acquire is a new grant with a greater token, not a
// re-entry into the old one.
func TestUnansweredReleaseEndsTheTenure(t *testing.T) {
	c := start(t, "mariadb")
	cfg := config(c, 1)
	cfg.TTL, cfg.Grace = 4*time.Second, 50*time.Millisecond // the lease is alive when the client asks again
	a := mysql.NewUniqueTTL(cfg)
	defer a.Close()
	first := acquire(t, a, "x")

	db := direct(t, c.Nodes[0].Addr())
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var row string
	if err := tx.QueryRowContext(t.Context(), "SELECT name FROM torture.lock_ttl FOR UPDATE").Scan(&row); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // the row is blocked until then
	defer cancel()
	if err := first.Release(ctx); err == nil || errors.Is(err, locks.ErrNotHeld) {
		t.Fatalf("release of a blocked row: %v, want an error that leaves the outcome open", err)
	}
	killBlocked(t, db) // the release never takes effect
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	second := acquire(t, a, "x")
	if was, is := first.(locks.Fenced).Token(), second.(locks.Fenced).Token(); is <= was {
		t.Errorf("token %d after a release without an answer, want more than %d", is, was)
	}
	release(t, second)
}

// killBlocked ends the connections whose releases wait for a row.
func killBlocked(t *testing.T, db *sql.DB) {
	t.Helper()
	const blocked = "SELECT id FROM information_schema.processlist WHERE info LIKE '%count - 1%' AND id <> CONNECTION_ID()"
	eventually(t, 10*time.Second, "the blocked release is gone", func() bool {
		var id int64
		err := db.QueryRowContext(t.Context(), blocked).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return true
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)); err != nil {
			t.Logf("kill %d: %v", id, err)
		}
		return false
	})
}
