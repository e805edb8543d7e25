// Payouts pays orders, one at a time, however many of its workers run: whoever has the lease in
// Redis pays the next one. It has the usual bug: a worker that is stopped between its look at the
// lease and its payment pays an order that the next holder has paid as well.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

const lease = 2 * time.Second

func main() {
	ctx := context.Background()
	work := pay
	if len(os.Args) > 1 && os.Args[1] == "migrate" {
		work = migrate
	}
	for {
		err := work(ctx)
		if err == nil {
			return
		}
		fmt.Println(err) // and connect again
		time.Sleep(100 * time.Millisecond)
	}
}

// migrate makes the tables, and the orders.
func migrate(ctx context.Context) error {
	db, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	_, err = db.Exec(ctx, `
		CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, paid bool NOT NULL DEFAULT false);
		CREATE INDEX IF NOT EXISTS unpaid ON orders (id) WHERE NOT paid;
		CREATE TABLE IF NOT EXISTS payouts (order_id text, worker text);
		INSERT INTO orders SELECT to_char(generate_series(1, 100000), 'FM000000') ON CONFLICT DO NOTHING`)
	return err
}

// pay pays orders until an error.
func pay(ctx context.Context) error {
	options, err := redis.ParseURL(os.Getenv("REDIS_URL"))
	if err != nil {
		return err
	}
	locks := redis.NewClient(options)
	defer locks.Close()
	db, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	me, _ := os.Hostname()
	for {
		mine, err := locks.SetNX(ctx, "payouts:lease", me, lease).Result()
		if err != nil {
			return err
		}
		if !mine {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if err := next(ctx, db, me); err != nil {
			return err
		}
		if locks.Get(ctx, "payouts:lease").Val() == me {
			locks.Del(ctx, "payouts:lease")
		}
	}
}

// next pays the next order.
func next(ctx context.Context, db *pgx.Conn, me string) error {
	var order string
	if err := db.QueryRow(ctx, "SELECT id FROM orders WHERE NOT paid ORDER BY id LIMIT 1").Scan(&order); err != nil {
		return err
	}
	time.Sleep(50 * time.Millisecond) // the bank answers
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.Exec(ctx, "INSERT INTO payouts (order_id, worker) VALUES ($1, $2)", order, me); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE orders SET paid = true WHERE id = $1", order); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
