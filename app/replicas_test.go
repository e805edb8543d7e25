package app_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"
)

// replica is the program that is tortured.
func replica(how string) int {
	switch how {
	case "exits":
		fmt.Println("no such option")
		return 3
	case "never ready":
		select {}
	case "stubborn": // it ignores SIGTERM, and so does its child, which leaves its group
		signal.Ignore(syscall.SIGTERM)
		cmd := exec.Command("sleep", "1000.125")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return 4
		}
		fmt.Println("listening")
		select {}
	case "floods":
		fmt.Println("listening")
		for {
			fmt.Println(strings.Repeat("x", 1000))
		}
	}
	if server, ok := strings.CutPrefix(how, "pays "); ok {
		return payer(strings.Fields(server))
	}
	if kind, ok := strings.CutPrefix(how, "leads "); ok {
		return leader(kind)
	}
	if store, ok := strings.CutPrefix(how, "stores "); ok {
		return payAt(store)
	}
	if how == "lease" || how == "fenced" {
		return leaseholder(how == "fenced")
	}
	if how == "traced" || how == "traced clock" {
		return traced(how == "traced clock")
	}
	if how == "goes round" {
		how = "locked"
		if err := goRound(); err != nil {
			fmt.Println(err)
			return 5
		}
	}
	return worker(how == "locked")
}

// goRound asks Redis where it listens, and uses that address from now on.
func goRound() error {
	db := goredis.NewClient(&goredis.Options{Addr: os.Getenv("REDIS")})
	defer db.Close()
	info, err := db.ConfigGet(context.Background(), "port").Result()
	if err != nil {
		return err
	}
	return os.Setenv("REDIS", "127.0.0.1:"+info["port"])
}

// fence pays a key unless a later one has been paid.
const fence = `if tonumber(redis.call('GET', 'mark') or '0') > tonumber(ARGV[2]) then return 0 end
redis.call('SET', 'mark', ARGV[2]) return 1`

// leaseholder pays under a lease that it checks once. The store refuses what comes too late, or
// it does not.
func leaseholder(fenced bool) int {
	ctx := context.Background()
	db := goredis.NewClient(&goredis.Options{Addr: os.Getenv("REDIS")})
	fmt.Println("listening")
	for {
		me := fmt.Sprint(os.Getpid())
		if ok, err := db.SetNX(ctx, "lock", me, 400*time.Millisecond).Result(); !ok || err != nil {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		n, err := db.Incr(ctx, "n").Result()
		if err != nil {
			continue
		}
		if fenced { // from now on nothing older is taken
			_ = db.Eval(ctx, fence, []string{"mark"}, "opened", n).Err()
		}
		tellOf("begin", fmt.Sprint(n))
		time.Sleep(30 * time.Millisecond)
		if fenced {
			_ = db.Eval(ctx, fence, []string{"mark"}, "paid", n).Err() // a refusal is the store's business
		} else {
			_ = db.Set(ctx, fmt.Sprintf("paid:%d", n), me, 0).Err()
		}
		tellOf("end", fmt.Sprint(n))
		if db.Get(ctx, "lock").Val() == me {
			db.Del(ctx, "lock")
		}
	}
}

// leader says at its port whether it leads: always, or while it has a lease.
func leader(kind string) int {
	var until atomic.Int64
	http.HandleFunc("/leader", func(w http.ResponseWriter, _ *http.Request) {
		if kind == "by lease" && time.Now().UnixNano() >= until.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	go func() { fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)) }()
	db := goredis.NewClient(&goredis.Options{Addr: os.Getenv("REDIS")})
	me := os.Getenv("REPLICA")
	fmt.Println("listening")
	for {
		asked := time.Now()
		if ok, err := db.SetNX(context.Background(), "leader", me, time.Second).Result(); err == nil && ok {
			until.Store(asked.Add(800 * time.Millisecond).UnixNano())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// inSpan is long enough for two sections to overlap for certain on a busy machine.
const inSpan = 150 * time.Millisecond

// spanFor is the variable with the length of a span, if it is not inSpan.
const spanFor = "TORTURE_TEST_SPAN"

// traced pays under no lock, and reports it by spans alone. watch: it prints the jumps of its wall clock.
func traced(watch bool) int {
	fmt.Println("listening")
	length, err := time.ParseDuration(cmp.Or(os.Getenv(spanFor), inSpan.String()))
	if err != nil {
		return 2
	}
	for n, last := 0, time.Now(); ; n++ {
		from := time.Now()
		if jump := from.Round(0).Sub(last.Round(0)) - from.Sub(last); watch && jump.Abs() > 200*time.Millisecond {
			fmt.Println("jumped by", jump)
		}
		last = from
		time.Sleep(length)
		body := fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"pay %s-%d","startTimeUnixNano":"%d","endTimeUnixNano":"%d"}]}]}]}`,
			n+1, n+1, strconv.Itoa(os.Getpid()), n, from.UnixNano(), time.Now().UnixNano())
		answer, err := http.Post(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")+"/v1/traces", "application/json", strings.NewReader(body))
		if err != nil {
			return 1
		}
		_ = answer.Body.Close()
		time.Sleep(5 * time.Millisecond)
	}
}

// payer pays twenty keys without a word about it. Replicas that pay "the same" pay each other's.
func payer(how []string) int {
	ctx := context.Background()
	for i := range 20 {
		key := fmt.Sprintf("%s-%d", os.Getenv("REPLICA"), i)
		if how[1] == "same" {
			key = fmt.Sprint(i)
		}
		var err error
		switch how[0] {
		case "redis":
			db := goredis.NewClient(&goredis.Options{Addr: os.Getenv("REDIS")})
			err = errors.Join(db.Set(ctx, "paid:"+key, os.Getenv("REPLICA"), 0).Err(), db.Close())
		case "postgres":
			err = payInTransaction(ctx, key, how[1] == "rolled-back")
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
	}
	fmt.Println(paidAll)
	time.Sleep(time.Hour)
	return 0
}

// payInTransaction pays a key, or the key 0 in a transaction that is rolled back.
func payInTransaction(ctx context.Context, key string, back bool) error {
	c, err := pgx.Connect(ctx, os.Getenv("POSTGRES"))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, "CREATE TABLE IF NOT EXISTS payouts (key text, by text)"); err != nil {
		return nil // the other replica has just made it
	}
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	if back {
		key = "0"
	}
	if _, err := tx.Exec(ctx, "INSERT INTO payouts VALUES ($1, $2)", key, os.Getenv("REPLICA")); err != nil {
		return err
	}
	if back {
		return tx.Rollback(ctx)
	}
	return tx.Commit(ctx)
}

// tellOf sends an event.
func tellOf(mode, key string) {
	body, err := json.Marshal(map[string]string{"job": "payout", "key": key})
	if err != nil {
		panic(err)
	}
	answer, err := http.Post(os.Getenv("TORTURE_EVENTS")+"/"+mode, "application/json", strings.NewReader(string(body)))
	if err != nil {
		panic(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		panic(answer.Status)
	}
}

// worker takes keys from a counter in Redis and pays them, with a lock or without one.
func worker(locked bool) int {
	ctx := context.Background()
	db := goredis.NewClient(&goredis.Options{Addr: os.Getenv("REDIS"), MaxRetries: -1})
	fmt.Println("listening")
	for {
		if locked {
			if ok, err := db.SetNX(ctx, "lock", "x", time.Hour).Result(); !ok || err != nil {
				time.Sleep(5 * time.Millisecond)
				continue
			}
		}
		n, err := db.Incr(ctx, "n").Result()
		if err == nil {
			key := fmt.Sprint(n)
			tellOf("begin", key)
			time.Sleep(10 * time.Millisecond)
			tellOf("end", key)
		}
		if locked {
			for db.Del(ctx, "lock").Err() != nil {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
}
