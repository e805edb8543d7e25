// Control is a worker that pays, one payment after another: a correct one and four broken ones.
//
//	control fenced|checks-once|renews-by-name|acks-early|unlocked
//	control load
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"example.com/torture"
)

const (
	ttl  = "1000" // of the lock, in ms
	work = 100 * time.Millisecond
	idle = 10 * time.Millisecond

	acquire = `if redis.call('SET', 'lock', ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCR', 'n') end return 0`
	release = `if redis.call('GET', 'lock') == ARGV[1] then return redis.call('DEL', 'lock') end return 0`
	renew   = `if redis.call('GET', 'lock') == ARGV[1] then return redis.call('PEXPIRE', 'lock', ARGV[2]) end return 0`
	// fence pays unless a higher number was given out: a payment that is late by one is refused, too.
	fence = `if tonumber(redis.call('GET', 'n') or '0') > tonumber(ARGV[2]) then return 0 end return 1`
)

// A worker has one round of its work for each way to do it.
type worker struct {
	*server
	me string
}

func main() {
	how := os.Args[1]
	for {
		s, err := dial(os.Getenv("REDIS"))
		if err != nil {
			log.Println(err)
			time.Sleep(work)
			continue
		}
		w := worker{s, fmt.Sprintf("%s-%d", os.Getenv("REPLICA"), os.Getpid())}
		round := map[string]func() error{
			"fenced":         func() error { return w.locked(w.me, w.fenced) },
			"checks-once":    func() error { return w.locked(w.me, w.checksOnce) },
			"renews-by-name": func() error { return w.locked("billing", w.renewsByName) },
			"acks-early":     w.acksEarly,
			"unlocked":       w.unlocked,
			"load":           w.load,
		}[how]
		for err == nil {
			err = round()
			time.Sleep(idle)
		}
		log.Println(err)
		_ = s.conn.Close()
	}
}

// locked does one payment under the lock, in the name of its owner.
func (w worker) locked(owner string, pay func(n string) error) error {
	n, err := w.do("EVAL", acquire, "0", owner, ttl)
	if err != nil || n == "0" {
		return err
	}
	token, err := strconv.ParseUint(n, 10, 64)
	if err != nil {
		return err
	}
	if err := torture.Tell("begin", torture.Event{Job: "payout", Key: n, Token: token}); err != nil {
		return err
	}
	if err := pay(n); err != nil {
		return err
	}
	if err := torture.Tell("end", torture.Event{Job: "payout", Key: n}); err != nil {
		return err
	}
	_, err = w.do("EVAL", release, "0", owner)
	return err
}

// fenced lets the store refuse a payment that comes too late.
func (w worker) fenced(n string) error {
	time.Sleep(work)
	_, err := w.do("EVAL", fence, "0", "paid", n)
	return err
}

// checksOnce looks whether it has the lock, and relies on that for the rest of its work.
func (w worker) checksOnce(n string) error {
	if owner, err := w.do("GET", "lock"); err != nil || owner != w.me {
		return err
	}
	time.Sleep(work)
	_, err := w.do("SET", "paid:"+n, w.me)
	return err
}

// renewsByName renews the lock as often as it can, but every replica is called "billing".
func (w worker) renewsByName(n string) error {
	for range 5 {
		time.Sleep(work / 5)
		if kept, err := w.do("EVAL", renew, "0", "billing", ttl); err != nil || kept != "1" {
			return err
		}
	}
	_, err := w.do("SET", "paid:"+n, w.me)
	return err
}

// acksEarly takes a payment off the queue before it makes it.
func (w worker) acksEarly() error {
	n, err := w.do("LPOP", "queue")
	if err != nil || n == "" {
		return err
	}
	if err := torture.Tell("begin", torture.Event{Job: "payout", Key: n}); err != nil {
		return err
	}
	time.Sleep(work)
	if _, err := w.do("SET", "paid:"+n, w.me); err != nil {
		return err
	}
	return torture.Tell("end", torture.Event{Job: "payout", Key: n})
}

// unlocked makes the payment that is next, as every replica does.
func (w worker) unlocked() error {
	n, err := w.do("GET", "next")
	if err != nil {
		return err
	}
	if n == "" {
		n = "1"
	}
	next, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	if err := torture.Tell("begin", torture.Event{Job: "payout", Key: n}); err != nil {
		return err
	}
	time.Sleep(work)
	if _, err := w.do("SET", "paid:"+n, w.me); err != nil {
		return err
	}
	if _, err := w.do("SET", "next", strconv.Itoa(next+1)); err != nil {
		return err
	}
	return torture.Tell("end", torture.Event{Job: "payout", Key: n})
}

// load asks for a payment.
func (w worker) load() error {
	n, err := w.do("INCR", "asked")
	if err != nil {
		return err
	}
	if _, err := w.do("RPUSH", "queue", n); err != nil {
		return err
	}
	fmt.Println("queued", n)
	time.Sleep(work)
	return nil
}
