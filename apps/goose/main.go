// goose is one of several replicas of a service that migrate their database at their start, through
// goose's Provider with the lock that its first argument names: session (an advisory lock) or table
// (a lease, kept alive by a heartbeat).
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

func main() {
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	locked, err := locker(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var migrations []*goose.Migration
	for version := int64(1); version <= 500; version++ {
		migrations = append(migrations, goose.NewGoMigration(version, &goose.GoFunc{RunTx: step(version)}, nil))
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, nil, goose.WithGoMigrations(migrations...), locked)
	if err != nil {
		log.Fatal(err)
	}
	for {
		done, err := p.UpByOne(context.Background())
		if done != nil {
			fmt.Println("done", done.Source.Version)
		}
		if err != nil && !errors.Is(err, goose.ErrNoNextVersion) {
			fmt.Println(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func locker(kind string) (goose.ProviderOption, error) {
	if kind == "session" {
		l, err := lock.NewPostgresSessionLocker()
		return goose.WithSessionLocker(l), err
	}
	l, err := lock.NewPostgresTableLocker(lock.WithTableLeaseDuration(5*time.Second), lock.WithTableHeartbeatInterval(time.Second))
	return goose.WithLocker(l), err
}

// step is a migration that takes half a second.
func step(version int64) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		fmt.Println("begin", version)
		_, err := tx.ExecContext(ctx, "SELECT pg_sleep(0.5)")
		return err
	}
}
